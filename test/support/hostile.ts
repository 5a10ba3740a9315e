// Files that try to run script in the page or that are simply broken, generated from the samples.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { makeBook, makeDocx, makeOdt, makePdf } from '../../scripts/sample-documents.ts'
import { rawZip } from './bombs.ts'
import { SAMPLES } from './pictures.ts'
import type { TreeContent } from './tree.ts'

/** A request for this path, or a variable of this name, means that a file ran script. */
export const CANARY = 'canary-was-fired'

const fire = `fetch('/${CANARY}');window['${CANARY}']=1`
const image = `<img src="x" onerror="${fire.replaceAll('"', '&quot;')}">`
const script = `<script>${fire}</script>`
const link = `<a href="javascript:${encodeURIComponent(fire)}">press me</a>`

/** Files with script in every place one can think of. */
export async function scriptedFiles(): Promise<TreeContent> {
  const jpeg = await readFile(join(SAMPLES, 'picture.jpg'))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="300" height="200" onload="${fire.replaceAll('"', '&quot;')}">${script}<rect width="300" height="200" fill="#336699"/><foreignObject width="300" height="200"><body xmlns="http://www.w3.org/1999/xhtml">${image.replace(/>$/, '/>')}</body></foreignObject><a xlink:href="javascript:${encodeURIComponent(fire)}"><text y="50">press me</text></a></svg>`
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
    // The film beside which it lies offers it as subtitles.
    'evil-film.webm': await readFile(join(SAMPLES, 'film2.webm')),
    'evil-film.srt': `1\n00:00:00,000 --> 00:00:03,000\n${image}${script}\n`,
    'evil.srt': `1\n00:00:00,000 --> 00:00:03,000\n${image}${script}\n`,
    [`${image.replaceAll('/', '')}.jpg`]: jpeg,
  }
}

/** Every sample cut in half, and noise under every name. */
export async function brokenFiles(): Promise<TreeContent> {
  const files: Record<string, Uint8Array> = {}
  const noise = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 3)) % 256))
  for (const name of await readdir(SAMPLES)) {
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
    'film-inside.webm': await readFile(join(SAMPLES, 'film.mp4')),
    'film-inside.mp3': await readFile(join(SAMPLES, 'film.mp4')),
    'film-inside.jpg': await readFile(join(SAMPLES, 'film.mp4')),
    'film-inside.pdf': await readFile(join(SAMPLES, 'film.mp4')),
    'film-inside.docx': await readFile(join(SAMPLES, 'film.mp4')),
    'picture-inside.mp4': await readFile(join(SAMPLES, 'picture.jpg')),
    'picture-inside.pdf': await readFile(join(SAMPLES, 'picture.png')),
  }
}
