// Renders the icon set in web/public/img/icons from the logo. Run it after changing the logo; the
// results are committed, so that a build needs no renderer.
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { ROOT } from './build/paths.ts'

const IMG = join(ROOT, 'web/public/img')
const svg = await readFile(join(IMG, 'logo.svg'), 'utf8')
/** Platforms cut these to their own shape: colour to the edges, the drawing in the middle. */
const fullBleed = svg.replace(' rx="9"', '')
const maskable = fullBleed
  .replace('viewBox="0 0 32 32"', 'viewBox="-3 -3 38 38"')
  .replace('<rect width="32" height="32"', '<rect x="-3" y="-3" width="38" height="38"')

await copyFile(join(IMG, 'logo.svg'), join(IMG, 'icons/favicon.svg'))
await render(svg, 16, 'favicon-16x16.png')
await render(svg, 32, 'favicon-32x32.png')
await writeFile(
  join(IMG, 'icons/favicon.ico'),
  await toIco([
    [16, 'favicon-16x16.png'],
    [32, 'favicon-32x32.png'],
  ]),
)
await render(svg, 192, 'android-chrome-192x192.png')
await render(svg, 512, 'android-chrome-512x512.png')
await render(fullBleed, 180, 'apple-touch-icon.png')
await render(maskable, 512, 'maskable-512x512.png')

async function render(source: string, size: number, name: string): Promise<void> {
  await sharp(Buffer.from(source), { density: (72 * size) / 32 })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true, effort: 10 })
    .toFile(join(IMG, 'icons', name))
}

/** An icon file of pictures in PNG, which every browser reads since Internet Explorer 11. */
async function toIco(pictures: [sizePx: number, name: string][]): Promise<Buffer> {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  const bodies = await Promise.all(pictures.map(([, name]) => readFile(join(IMG, 'icons', name))))
  let at = head.length
  pictures.forEach(([sizePx], n) => {
    const entry = 6 + 16 * n
    const bytes = bodies[n]?.length ?? 0
    head.writeUInt8(sizePx, entry)
    head.writeUInt8(sizePx, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(bytes, entry + 8)
    head.writeUInt32LE(at, entry + 12)
    at += bytes
  })
  return Buffer.concat([head, ...bodies])
}
