// Small but genuine PDF, EPUB, Word, OpenDocument and Excel files for the viewer tests.

import { ZipFile } from 'yazl'

type Parts = Record<string, string | Uint8Array>

/** `stored` names go first and uncompressed, as EPUB and OpenDocument ask for `mimetype`. */
export async function zipOf(parts: Parts, stored: string[] = []): Promise<Uint8Array> {
  const zip = new ZipFile()
  const mtime = new Date('2026-01-02T03:04:06Z')
  for (const [name, content] of Object.entries(parts)) {
    zip.addBuffer(Buffer.from(content as string), name, { mtime, compress: !stored.includes(name) })
  }
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const JPEG_IN_PDF =
  '/Width 480 /Height 320 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode'

/**
 * Three pages with text, a picture on the first, and an outline; `catalogue` adds catalogue keys,
 * `picture` says what the bytes of the picture are.
 */
export function makePdf(
  jpeg: Uint8Array,
  catalogue = '',
  { picture = JPEG_IN_PDF } = {},
): Uint8Array {
  const titles = ['Samples on paper', 'Second chapter', 'The end']
  const objects: (string | [string, Uint8Array])[] = []
  const add = (body: string | [string, Uint8Array]) => objects.push(body)
  const page = (n: number) => 6 + n * 2
  add(`<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R /PageMode /UseOutlines ${catalogue} >>`)
  add(`<< /Type /Pages /Count 3 /Kids [${[0, 1, 2].map((n) => `${page(n)} 0 R`).join(' ')}] >>`)
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  add([`<< /Type /XObject /Subtype /Image ${picture} /Length ${jpeg.length} >>`, jpeg])
  add('<< /Type /Outlines /First 12 0 R /Last 14 0 R /Count 3 >>')
  for (const [n, title] of titles.entries()) {
    const drawing = n === 0 ? 'q 400 0 0 267 70 360 cm /Im Do Q' : ''
    const words = `BT /F 26 Tf 70 720 Td (${title}) Tj /F 12 Tf 0 -40 Td (The quick brown fox jumps over the lazy dog, page ${n + 1}.) Tj ET ${drawing}`
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 540 780] /Resources << /Font << /F 3 0 R >> /XObject << /Im 4 0 R >> >> /Contents ${page(n) + 1} 0 R >>`,
    )
    add([`<< /Length ${words.length} >>`, Buffer.from(words)])
  }
  for (const [n, title] of titles.entries()) {
    const chain = `${n > 0 ? `/Prev ${11 + n} 0 R` : ''} ${n < 2 ? `/Next ${13 + n} 0 R` : ''}`
    add(`<< /Title (${title}) /Parent 5 0 R ${chain} /Dest [${page(n)} 0 R /Fit] >>`)
  }
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  const size = () => parts.reduce((sum, part) => sum + part.length, 0)
  for (const [index, body] of objects.entries()) {
    offsets.push(size())
    const [head, stream] = typeof body === 'string' ? [body, null] : body
    parts.push(Buffer.from(`${index + 1} 0 obj\n${head}\n`))
    if (stream)
      parts.push(Buffer.from('stream\n'), Buffer.from(stream), Buffer.from('\nendstream\n'))
    parts.push(Buffer.from('endobj\n'))
  }
  const start = size()
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

const chapters = [
  ['The first chapter', 'It was a bright cold day, and every file lay where it had been left.'],
  ['The second chapter', 'Nobody had renamed anything for a thousand years.'],
]

/** `extra` goes into the body of the first chapter. */
export function makeBook(jpeg: Uint8Array, extra = ''): Promise<Uint8Array> {
  const xhtml = (title: string, body: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title><link rel="stylesheet" href="../style.css"/></head><body><h1>${title}</h1>${body}</body></html>`
  const filler =
    '<p>The quick brown fox jumps over the lazy dog, again and again, until the page is full of foxes and dogs alike.</p>'.repeat(
      14,
    )
  const parts: Parts = {
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'OEBPS/book.opf': `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">sample</dc:identifier><dc:title>A Book of Samples</dc:title><dc:creator>Nobody</dc:creator><dc:language>en</dc:language></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="c1" href="text/one.xhtml" media-type="application/xhtml+xml"/><item id="c2" href="text/two.xhtml" media-type="application/xhtml+xml"/><item id="css" href="style.css" media-type="text/css"/><item id="pic" href="images/dawn.jpg" media-type="image/jpeg"/></manifest><spine><itemref idref="c1"/><itemref idref="c2"/></spine></package>`,
    'OEBPS/nav.xhtml': `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li><a href="text/one.xhtml">${chapters[0]?.[0]}</a></li><li><a href="text/two.xhtml">${chapters[1]?.[0]}</a></li></ol></nav></body></html>`,
    'OEBPS/style.css': 'h1 { letter-spacing: 2px } .lead { font-style: italic }',
    'OEBPS/images/dawn.jpg': jpeg,
    'OEBPS/text/one.xhtml': xhtml(
      chapters[0]?.[0] ?? '',
      `<p class="lead">${chapters[0]?.[1]}</p><p><img src="../images/dawn.jpg" alt="Dawn"/></p>${extra}${filler}<p><a href="two.xhtml">On to the second</a></p>`,
    ),
    'OEBPS/text/two.xhtml': xhtml(chapters[1]?.[0] ?? '', `<p>${chapters[1]?.[1]}</p>${filler}`),
  }
  return zipOf(parts, ['mimetype'])
}

export function makeDocx(jpeg: Uint8Array, extra = ''): Promise<Uint8Array> {
  const w =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
  const para = (text: string, style = '', run = '') =>
    `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r>${run ? `<w:rPr>${run}</w:rPr>` : ''}<w:t xml:space="preserve">${text}</w:t></w:r></w:p>`
  const cell = (text: string) =>
    `<w:tc><w:tcPr><w:tcW w:w="3000" w:type="dxa"/></w:tcPr>${para(text)}</w:tc>`
  const image = `<w:p><w:r><w:drawing><wp:inline><wp:extent cx="3048000" cy="2032000"/><wp:docPr id="1" name="Dawn"/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="Dawn"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId2"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="3048000" cy="2032000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`
  const rows = [
    ['Item', 'Price'],
    ['Paper', '3.50'],
    ['Ink', '12.00'],
  ]
  const table = `<w:tbl><w:tblPr><w:tblBorders><w:insideH w:val="single" w:sz="4" w:color="808080"/><w:insideV w:val="single" w:sz="4" w:color="808080"/><w:top w:val="single" w:sz="4" w:color="808080"/><w:bottom w:val="single" w:sz="4" w:color="808080"/><w:left w:val="single" w:sz="4" w:color="808080"/><w:right w:val="single" w:sz="4" w:color="808080"/></w:tblBorders></w:tblPr><w:tblGrid><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/></w:tblGrid>${rows.map((row) => `<w:tr>${row.map(cell).join('')}</w:tr>`).join('')}</w:tbl>`
  const body = `${para('A letter of samples', 'Heading1')}${para('Dear reader, this paragraph is plain.')}${para('This one is bold.', '', '<w:b/>')}${image}${table}${extra}`
  return zipOf({
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="jpg" ContentType="image/jpeg"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>',
    '_rels/.rels':
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/_rels/document.xml.rels':
      '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/dawn.jpg"/><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="javascript:fetch(%27/canary-docx%27)" TargetMode="External"/></Relationships>',
    'word/styles.xml': `<?xml version="1.0"?><w:styles ${w}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:rPr><w:b/><w:sz w:val="40"/><w:color w:val="2F5496"/></w:rPr></w:style></w:styles>`,
    'word/document.xml': `<?xml version="1.0"?><w:document ${w}><w:body>${body}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134"/></w:sectPr></w:body></w:document>`,
    'word/media/dawn.jpg': jpeg,
  })
}

const odfNames =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"'

function odfManifest(type: string): string {
  return `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${type}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`
}

export function makeOdt(jpeg: Uint8Array, extra = ''): Promise<Uint8Array> {
  const type = 'application/vnd.oasis.opendocument.text'
  const content = `<?xml version="1.0"?><office:document-content ${odfNames} office:version="1.3"><office:automatic-styles><style:style style:name="B" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style><style:style style:name="I" style:family="text"><style:text-properties fo:font-style="italic" fo:color="#a02020"/></style:style></office:automatic-styles><office:body><office:text><text:h text:outline-level="1">An open letter</text:h><text:p>Plain words, <text:span text:style-name="B">bold words</text:span> and <text:span text:style-name="I">slanted red ones</text:span>.</text:p><text:p><draw:frame svg:width="8cm" svg:height="5.3cm"><draw:image xlink:href="Pictures/dawn.jpg"/></draw:frame></text:p><text:list><text:list-item><text:p>First point</text:p></text:list-item><text:list-item><text:p>Second point</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>Cell one</text:p></table:table-cell><table:table-cell><text:p>Cell two</text:p></table:table-cell></table:table-row></table:table>${extra}</office:text></office:body></office:document-content>`
  return zipOf(
    {
      mimetype: type,
      'META-INF/manifest.xml': odfManifest(type),
      'content.xml': content,
      'Pictures/dawn.jpg': jpeg,
    },
    ['mimetype'],
  )
}

const people = [
  ['Name', 'City', 'Amount'],
  ['Ada', 'London', 12.5],
  ['Grace', 'New York', 80],
  ['Linus', 'Helsinki', 7],
] as const

export function makeOds(): Promise<Uint8Array> {
  const type = 'application/vnd.oasis.opendocument.spreadsheet'
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${value}</text:p></table:table-cell>`
      : `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`
  const rows = people
    .map((row) => `<table:table-row>${row.map(cell).join('')}</table:table-row>`)
    .join('')
  const content = `<?xml version="1.0"?><office:document-content ${odfNames} office:version="1.3"><office:body><office:spreadsheet><table:table table:name="People">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`
  return zipOf(
    {
      mimetype: type,
      'META-INF/manifest.xml': odfManifest(type),
      'styles.xml': `<?xml version="1.0"?><office:document-styles ${odfNames} office:version="1.3"/>`,
      'content.xml': content,
    },
    ['mimetype'],
  )
}

export function makeXlsx(): Promise<Uint8Array> {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const sheet = (rows: readonly (readonly (string | number)[])[]) =>
    `<?xml version="1.0"?><worksheet xmlns="${main}"><sheetData>${rows
      .map(
        (row, r) =>
          `<row r="${r + 1}">${row.map((value, c) => (typeof value === 'number' ? `<c r="${'ABC'[c]}${r + 1}"><v>${value}</v></c>` : `<c r="${'ABC'[c]}${r + 1}" t="inlineStr"><is><t>${value}</t></is></c>`)).join('')}</row>`,
      )
      .join('')}</sheetData></worksheet>`
  const rel = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  return zipOf({
    '[Content_Types].xml':
      '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    '_rels/.rels': `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/_rels/workbook.xml.rels': `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${rel}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${rel}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
    'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${rel}"><sheets><sheet name="People" sheetId="1" r:id="rId1"/><sheet name="Numbers" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/worksheets/sheet1.xml': sheet(people),
    'xl/worksheets/sheet2.xml': sheet(
      Array.from({ length: 40 }, (_, n) => [n + 1, (n + 1) ** 2, `row ${n + 1}`]),
    ),
  })
}
