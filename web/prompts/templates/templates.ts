// Files to begin with: empty ones made here, and those in the folder `templates` of the account.

import type { FileEntry } from '../../../src/api-types.ts'
import { ApiError } from '../../api/client.ts'
import { joinPath, ROOT } from '../../lib/paths.ts'
import { storeZip } from '../../lib/store-zip.ts'
import { listFolder } from '../../state/listed-folder.ts'

export const TEMPLATES_FOLDER: string = joinPath(ROOT, 'templates')

export type EmptyKind = 'txt' | 'md' | 'docx' | 'xlsx'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const TYPES = 'application/vnd.openxmlformats-officedocument'

/** A file of this kind that its program opens as an empty one; Office files by ECMA-376. */
export function emptyFile(kind: EmptyKind): Uint8Array<ArrayBuffer> | '' {
  if (kind === 'docx') {
    return officeFile('word/document.xml', `${TYPES}.wordprocessingml.document.main+xml`, {
      'word/document.xml':
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p/><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/></w:sectPr></w:body></w:document>',
    })
  }
  if (kind === 'xlsx') {
    const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
    const sheet = `${TYPES}.spreadsheetml.worksheet+xml`
    return officeFile(
      'xl/workbook.xml',
      `${TYPES}.spreadsheetml.sheet.main+xml`,
      {
        'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets><sheet name="1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
        'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData/></worksheet>`,
      },
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheet}"/>`,
    )
  }
  return ''
}

/** `parts` by their names; `main` is the one that the package is about. */
function officeFile(
  main: string,
  mainType: string,
  parts: Record<string, string>,
  overrides = '',
): Uint8Array<ArrayBuffer> {
  const all = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="${mainType}"/>${overrides}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="${main}"/></Relationships>`,
    ...parts,
  }
  const text = new TextEncoder()
  return storeZip(Object.entries(all).map(([name, part]) => [name, text.encode(XML + part)]))
}

/** The person's own templates, none where there is no such folder. @throws ApiError */
export async function ownTemplates(signal: AbortSignal): Promise<FileEntry[]> {
  try {
    const { entries } = await listFolder(TEMPLATES_FOLDER, signal)
    return entries.filter((entry) => !entry.isDir && entry.type !== 'invalid_link')
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return []
    throw error
  }
}
