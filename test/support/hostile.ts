// Files that try to run script in the page, to fill the memory, or that are simply broken. Made at
// run time: bombs are large once unpacked and the rest is generated from the samples.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { makeBook, makeDocx, makeOdt, makePdf } from '../../scripts/sample-documents.ts'
import { SAMPLES } from './pictures.ts'
import type { TreeContent } from './tree.ts'

/** A request for this path, or a variable of this name, means that a file ran script. */
export const CANARY = 'canary-was-fired'

const MIB = 1024 * 1024
const fire = `fetch('/${CANARY}');window['${CANARY}']=1`
const image = `<img src="x" onerror="${fire.replaceAll('"', '&quot;')}">`
const script = `<script>${fire}</script>`
const link = `<a href="javascript:${encodeURIComponent(fire)}">press me</a>`

/** Files with script in every place one can think of. */
export async function scriptedFiles(): Promise<TreeContent> {
  const jpeg = await readFile(join(SAMPLES, 'picture.jpg'))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="300" height="200" onload="${fire.replaceAll('"', '&quot;')}">${script}<rect width="300" height="200" fill="#336699"/><foreignObject width="300" height="200"><body xmlns="http://www.w3.org/1999/xhtml">${image}</body></foreignObject><a xlink:href="javascript:${encodeURIComponent(fire)}"><text y="50">press me</text></a></svg>`
  const html = `<!doctype html><title>x</title><meta http-equiv="refresh" content="0;url=javascript:${encodeURIComponent(fire)}"><body onload="${fire.replaceAll('"', '&quot;')}">${script}${image}${link}<iframe srcdoc="${script.replaceAll('"', '&quot;')}"></iframe></body>`
  const xml = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="data:text/xsl,x"?><root xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${fire}</h:script><h:img src="x" onerror="${fire.replaceAll('"', '&quot;')}"/></root>`
  const inBook = `<script>${fire.replaceAll('&', '&amp;')}</script><img src="x" onerror="${fire.replaceAll('"', '&quot;')}"/><p><a href="javascript:${encodeURIComponent(fire)}">press me</a></p><iframe src="data:text/html,x"></iframe><svg xmlns="http://www.w3.org/2000/svg" onload="${fire.replaceAll('"', '&quot;')}"><rect width="9" height="9"/></svg><style>@import url(/${CANARY}); p { background: url(/${CANARY}); }</style><p style="background:url(/${CANARY});position:fixed;inset:0">styled</p>`
  const openAction = `/OpenAction << /S /JavaScript /JS (${fire.replaceAll('(', '\\(').replaceAll(')', '\\)')}; app.alert\\('x'\\)) >> /AA << /WC << /S /URI /URI (/${CANARY}) >> >>`
  const pressable = `<w:p><w:hyperlink r:id="rId9"><w:r><w:t>press me</w:t></w:r></w:hyperlink></w:p>`
  const odfLink = `<text:p><text:a xlink:href="javascript:${encodeURIComponent(fire)}">press me</text:a></text:p>`
  return {
    'evil.svg': svg,
    'evil.html': html,
    'evil.xhtml': `<html xmlns="http://www.w3.org/1999/xhtml"><body>${`<script>${fire}</script>`}</body></html>`,
    'evil.xml': xml,
    'evil.md': `# Evil\n\n${script}\n\n${image}\n\n[press me](javascript:${encodeURIComponent(fire)})\n\n<svg onload="${fire}"></svg>\n\n![x](x" onerror="${fire})\n`,
    'evil.json': JSON.stringify({ [script]: image, a: link }),
    'evil.csv': `${script},${image}\n=HYPERLINK("javascript:${fire}"),2\n`,
    'evil.epub': await makeBook(jpeg, inBook),
    'evil.pdf': makePdf(jpeg, openAction),
    'evil.docx': await makeDocx(jpeg, pressable),
    'evil.odt': await makeOdt(jpeg, odfLink),
    'evil.zip': rawZip(
      [
        `${image.replaceAll('/', '')}.txt`,
        'inner.svg',
        '../../outside.txt',
        '__proto__/polluted.txt',
      ].map((name) => {
        const content = name.endsWith('svg') ? svg : html
        return [name, deflateRawSync(content), Buffer.byteLength(content)]
      }),
    ),
    'evil.srt': `1\n00:00:00,000 --> 00:00:03,000\n${image}${script}\n`,
    [`${image.replaceAll('/', '')}.jpg`]: jpeg,
  }
}

/** Files that are small on disk and enormous once unpacked, and one that is enormous anyway. */
export async function bombs(): Promise<TreeContent> {
  const zeros = deflateRawSync(Buffer.alloc(300 * MIB), { level: 1 })
  const jpeg = await readFile(join(SAMPLES, 'picture.jpg'))
  const book = await makeBook(jpeg)
  return {
    'bomb.zip': rawZip([['zeros.txt', zeros, 300 * MIB]]),
    // The directory says 10 bytes, the data says otherwise.
    'liar.zip': rawZip([['zeros.txt', zeros, 10]]),
    'bomb.docx': rawZip([['word/document.xml', zeros, 300 * MIB]]),
    'liar.docx': rawZip([['[Content_Types].xml', zeros, 10]]),
    'bomb.xlsx': rawZip([['xl/workbook.xml', zeros, 300 * MIB]]),
    'bomb.odt': rawZip([['content.xml', zeros, 10]]),
    'bomb.epub': rawZip([['META-INF/container.xml', zeros, 10]]),
    'bomb.tar.gz': gzipSync(Buffer.alloc(200 * MIB), { level: 1 }),
    'bomb.png': bigPng(40_000, 40_000),
    'bomb.svg': laughingSvg(),
    'cut.epub': book.subarray(0, book.length - 300),
    'deep.json': '['.repeat(200_000),
  }
}

/** Every sample cut in half, and noise under every name. */
export async function brokenFiles(): Promise<TreeContent> {
  const files: Record<string, Uint8Array> = {}
  const noise = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 3)) % 256))
  for (const name of await readdir(SAMPLES)) {
    if (/\.(srt|vtt|txt|md|csv|json|bin)$/.test(name)) continue
    const bytes = await readFile(join(SAMPLES, name))
    files[`half-${name}`] = bytes.subarray(0, Math.floor(bytes.length / 2))
    files[`noise-${name}`] = noise
  }
  return {
    ...files,
    'empty.pdf': '',
    'empty.jpg': '',
    'empty.zip': '',
    'empty.mp4': '',
    'words.mp4': 'This is a text and no film.\n'.repeat(50),
    'page.jpg': '<!doctype html><p>This is a page and no picture.</p>',
    'picture-inside.pdf': await readFile(join(SAMPLES, 'picture.png')),
  }
}

/** ZIP entries from data that is compressed already, with the size one likes to claim. */
function rawZip(entries: [name: string, data: Buffer, claimed: number][]): Buffer {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, data, claimed] of entries) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(claimed, 18)
    fields.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), data])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, tail, Buffer.from(name))
    locals.push(local)
    offset += local.length
  }
  const size = directory.reduce((sum, piece) => sum + piece.length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}

/** A grey picture; 1.6 gigapixels fit into about 200 kB at one bit a pixel. */
function bigPng(width: number, height: number): Buffer {
  const row = Buffer.alloc(1 + Math.ceil(width / 8))
  const data = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)), { level: 6 })
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 1
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(named))
    return Buffer.concat([length, named, crc])
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Entities that expand to a billion, and groups that use each other as often. */
function laughingSvg(): string {
  const names = [...'abcdefghij']
  const entities = names.map((name, i) => {
    const before = names[i - 1]
    return `<!ENTITY ${name} "${before ? `&${before};`.repeat(10) : 'ha'}">`
  })
  return `<?xml version="1.0"?><!DOCTYPE svg [${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"><text y="20">&j;</text></svg>`
}
