// Nothing that a document declares reaches the parser: entities within each other are a bomb.

import { expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { storeZip } from '../../../web/lib/store-zip.ts'
import { listZip, readZipEntry } from '../../../web/viewers/archive/zip-reader.ts'
import type { FileSource } from '../../../web/viewers/frame/source.ts'
import { withoutDoctype, withoutEntities } from '../../../web/viewers/office/doctype.ts'
import { createMarkupBudget } from '../../../web/viewers/office/markup-limits.ts'
import { repackOffice } from '../../../web/viewers/office/repack.ts'
import { cpuMs, leastMs } from '../../support/cpu-time.ts'

const BOMB = '<!DOCTYPE a [<!ENTITY lol1 "ha"><!ENTITY lol2 "&lol1;&lol1;"> ] >'

it.each([
  ['the usual one', `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x.dtd"><a/>`, '<a/>'],
  ['one with entities', `<?xml version="1.0"?>\n${BOMB}<a/>`, '<?xml version="1.0"?>\n<a/>'],
  ['one behind a decoy', `<!-- <!DOCTYPE x> -->${BOMB}<a/>`, '<!-- <!DOCTYPE x> --><a/>'],
  ['several', `${BOMB}<?b?>${BOMB}\n<a/>`, '<?b?>\n<a/>'],
  ['one that never ends', '<!DOCTYPE a [ <!ENTITY b "c">', ''],
  ['none, with words about one', '<a>&lt;!DOCTYPE><![CDATA[<!DOCTYPE b>]]></a>', null],
])('takes out %s', (_what, xml, left) => {
  expect(withoutDoctype(xml)).toBe(left ?? xml)
})

it('reads millions of them once', async () => {
  const text = `${'<!DOCTYPE a>'.repeat(200_000)}<a>[</a>`
  const takenMs = await leastMs(2_000, () =>
    cpuMs(() => expect(withoutDoctype(text)).toBe('<a>[</a>')),
  )
  expect(takenMs).toBeLessThan(2_000)
})

it('leaves nothing to declare of one that ends within a comment', () => {
  expect(withoutDoctype(`<!DOCTYPE a [<!-- ]> ${BOMB} --> ]><a/>`)).not.toContain('<!ENTITY')
})

it('makes characters of the names of XHTML, and text of every other, digits or not', () => {
  expect(withoutEntities('&nbsp;&frac12;&amp;&#65;&lt;')).toBe('\u00a0½&amp;&#65;&lt;')
  expect(withoutEntities('&lol1;&lol;&x.y-z;&_é;')).toBe('&amp;lol1;&amp;lol;&amp;x.y-z;&amp;_é;')
})

it('hands on the parts of a Word document without document types', async () => {
  const encoder = new TextEncoder()
  const zip = storeZip([
    ['word/document.xml', encoder.encode(`\ufeff<!-- <!DOCTYPE x> -->${BOMB}<w:p>&lol2;</w:p>`)],
    ['word/media/a.bin', Uint8Array.of(1, 2, 3)],
  ])
  const source = {
    readRange: async (_: FileEntry, start: number, end: number) => zip.slice(start, end).buffer,
  } as Partial<FileSource> as FileSource
  const entry = { size: zip.length } as FileEntry
  const { signal } = new AbortController()
  const packed = await repackOffice(source, entry, signal, createMarkupBudget())
  const read = async (start: number, end: number) => packed.slice(start, end).buffer
  const { entries } = await listZip(read, packed.length, 10)
  const texts = await Promise.all(
    entries.map(async (part) => new TextDecoder().decode(await readZipEntry(read, part, 10_000))),
  )
  expect(texts).toEqual(['<!-- <!DOCTYPE x> --><w:p>&lol2;</w:p>', '\u0001\u0002\u0003'])
})
