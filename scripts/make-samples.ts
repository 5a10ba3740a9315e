// Makes the small files of every kind that the viewer tests open, into test/data/samples. They are
// kept in the repository; run this only to change them. Needs ffmpeg, ImageMagick (with HEIC),
// Ghostscript, 7z and fonttools.

import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as xlsx from '@e965/xlsx'
import sharp from 'sharp'
import {
  makeBook,
  makeDocx,
  makeOds,
  makeOdt,
  makePdf,
  makeXlsx,
  zipOf,
} from './sample-documents.ts'
import { storedRar } from './sample-rar.ts'

const out = join(import.meta.dirname, '..', 'test', 'data', 'samples')
const scratch = join(tmpdir(), `samples-${process.pid}`)
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
mkdirSync(scratch, { recursive: true })

function run(command: string, ...args: string[]) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function save(name: string, bytes: Uint8Array | string) {
  writeFileSync(join(out, name), bytes)
}

/** One line of subtitles as SubStation Alpha writes it. */
function substation(text: string, type: string, styles: string): string {
  const fields = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
  return `[Script Info]\nScriptType: ${type}\n\n[${styles}]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Arial,20\n\n[Events]\nFormat: ${fields}\nDialogue: 0,0:00:00.20,0:00:02.00,Default,,0,0,0,,${text}\n`
}

const ridge = (base: number, height: number, step: number, seed: number): string => {
  let path = `M0 800 L0 ${base}`
  for (let x = 0; x <= 1200; x += step) {
    const y = base - height * (0.5 + 0.5 * Math.sin(x / 97 + seed) * Math.cos(x / 41 + seed * 2))
    path += ` L${x} ${y.toFixed(1)}`
  }
  return `${path} L1200 800 Z`
}
const landscape = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800" viewBox="0 0 1200 800">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop stop-color="#3b4a7a"/><stop offset=".55" stop-color="#d58f86"/><stop offset="1" stop-color="#f6d29b"/></linearGradient></defs>
<rect width="1200" height="800" fill="url(#sky)"/><circle cx="820" cy="330" r="60" fill="#fff1c9"/>
<path d="${ridge(520, 150, 8, 1)}" fill="#8d6f9b"/><path d="${ridge(600, 130, 6, 3)}" fill="#56568a"/><path d="${ridge(700, 110, 4, 5)}" fill="#262f55"/></svg>`

save('drawing.svg', landscape)
const picture = sharp(Buffer.from(landscape))
const png = await picture.png().toBuffer()
writeFileSync(join(scratch, 'p.png'), png)
save(
  'picture.png',
  await sharp(png).resize(600, 400).png({ palette: true, colours: 64 }).toBuffer(),
)
save('picture.jpg', await sharp(png).jpeg({ quality: 70 }).toBuffer())
// Lying on its side on disk, upright for whoever reads the orientation.
save(
  'turned.jpg',
  await sharp(
    await sharp(await sharp(png).resize(600, 400).toBuffer())
      .rotate(270)
      .toBuffer(),
  )
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 70 })
    .toBuffer(),
)
save('picture.webp', await sharp(png).webp({ quality: 60 }).toBuffer())
save('picture.avif', await sharp(png).avif({ quality: 45 }).toBuffer())
save('picture.tiff', await sharp(png).resize(600, 400).tiff({ compression: 'deflate' }).toBuffer())
run('convert', join(scratch, 'p.png'), '-quality', '40', join(out, 'picture.heic'))
run(
  'convert',
  join(scratch, 'p.png'),
  '-resize',
  '120x80',
  '-colors',
  '32',
  `BMP3:${join(out, 'picture.bmp')}`,
)
run(
  'convert',
  join(scratch, 'p.png'),
  '-resize',
  '64x64!',
  '-colors',
  '32',
  join(out, 'picture.ico'),
)
run(
  'ffmpeg',
  '-v',
  'error',
  '-y',
  '-f',
  'lavfi',
  '-i',
  'testsrc2=s=160x120:d=1:r=6',
  join(out, 'moving.gif'),
)

const film = [
  '-v',
  'error',
  '-y',
  '-f',
  'lavfi',
  '-i',
  'testsrc2=s=320x180:d=4:r=12',
  '-f',
  'lavfi',
  '-i',
  'sine=f=330:d=4',
]
run(
  'ffmpeg',
  ...film,
  '-c:v',
  'libx264',
  '-pix_fmt',
  'yuv420p',
  '-crf',
  '34',
  '-c:a',
  'aac',
  '-b:a',
  '32k',
  '-movflags',
  '+faststart',
  join(out, 'film.mp4'),
)
run(
  'ffmpeg',
  ...film,
  '-c:v',
  'libvpx',
  '-b:v',
  '90k',
  '-c:a',
  'libopus',
  '-b:a',
  '24k',
  join(out, 'film2.webm'),
)
save(
  'film2.en.srt',
  '1\n00:00:00,200 --> 00:00:02,000\nHello from the <i>first</i> line\n\n2\n00:00:02,100 --> 00:00:03,900\nAnd the second\n',
)
// The same film in the container others use for it, with the subtitles others write.
run(
  'ffmpeg',
  '-v',
  'error',
  '-y',
  '-i',
  join(out, 'film2.webm'),
  '-c',
  'copy',
  join(out, 'film3.mkv'),
)
save('film3.en.ass', substation('Hello from the {\\i1}styled{\\i0} line', 'v4.00+', 'V4+ Styles'))
save('film3.de.ssa', substation('Hallo aus der alten Zeile', 'v4.00', 'V4 Styles'))
save('film2.de.vtt', 'WEBVTT\n\n00:00.200 --> 00:02.000\nHallo aus der ersten Zeile\n')
const tone = ['-v', 'error', '-y', '-f', 'lavfi', '-i', 'sine=f=440:d=5']
const tags = ['title=Morning Light', 'artist=The Samples', 'album=Quiet Files'].flatMap((tag) => [
  '-metadata',
  tag,
])
const cover = join(scratch, 'cover.jpg')
writeFileSync(cover, await sharp(png).resize(300, 300).jpeg({ quality: 60 }).toBuffer())
const withCover = [
  '-i',
  cover,
  '-map',
  '0',
  '-map',
  '1',
  '-c:v',
  'copy',
  '-disposition:v',
  'attached_pic',
]
run(
  'ffmpeg',
  ...tone,
  ...withCover,
  ...tags,
  '-id3v2_version',
  '3',
  '-b:a',
  '40k',
  join(out, 'song.mp3'),
)
run('ffmpeg', ...tone, ...tags, '-b:a', '32k', join(out, 'tone.m4a'))
run('ffmpeg', ...tone, ...tags, '-ar', '16000', '-sample_fmt', 's16', join(out, 'tone.flac'))
run('ffmpeg', ...tone, ...tags, '-c:a', 'libopus', '-b:a', '24k', join(out, 'tone.ogg'))
run('ffmpeg', ...tone, ...tags, '-ar', '8000', '-ac', '1', join(out, 'tone.wav'))

const jpeg = await sharp(png).resize(480, 320).jpeg({ quality: 60 }).toBuffer()
save('paper.pdf', makePdf(jpeg))
run(
  'gs',
  '-q',
  '-dNOPAUSE',
  '-dBATCH',
  '-sDEVICE=pdfwrite',
  '-sUserPassword=open sesame',
  '-sOwnerPassword=owner',
  '-dEncryptionR=3',
  '-dKeyLength=128',
  `-sOutputFile=${join(out, 'locked.pdf')}`,
  join(out, 'paper.pdf'),
)
save('book.epub', await makeBook(jpeg))
save('letter.docx', await makeDocx(jpeg))
save('letter.odt', await makeOdt(jpeg))
save('table.xlsx', await makeXlsx())
save('table.ods', await makeOds())
save('table.xls', xlsx.write(xlsx.read(await makeXlsx()), { type: 'buffer', bookType: 'biff8' }))
save('table.tsv', 'name\tcity\tamount\nAnna Müller\tKöln\t12.5\nSmith\tLeeds\t7\n')
save('program.ts', '// A greeting.\nexport const greet = (name: string) => ["Hello", name]\n')
save('table.csv', 'name;city;amount\n"Müller; Anna";Köln;12,5\nSmith;Leeds;7\n')
save(
  'notes.md',
  '# Notes\n\nA *short* text with a picture:\n\n![dawn](picture.jpg)\n\n```js\nconst a = 1\n```\n',
)
save('data.json', '{"name":"sample","list":[1,2,3],"deep":{"a":{"b":null}}}\n')
save('plain.txt', 'Just text.\nSecond line.\n')
save(
  'unknown.bin',
  Uint8Array.from({ length: 300 }, (_, i) => (i * 7) % 256),
)

const inside = {
  'readme.txt': 'Hello from inside.\n',
  'pictures/dawn.jpg': jpeg,
  'deep/er/note.md': '# Deep\n',
  'umlaut-ä.txt': 'ok\n',
}
mkdirSync(join(scratch, 'in/pictures'), { recursive: true })
mkdirSync(join(scratch, 'in/deep/er'), { recursive: true })
for (const [name, content] of Object.entries(inside))
  writeFileSync(join(scratch, 'in', name), content)
save('pack.zip', await zipOf(inside))
save('pack.rar', storedRar(inside))
execFileSync('tar', ['-cf', join(out, 'pack.tar'), '-C', join(scratch, 'in'), '.'])
execFileSync('tar', ['-czf', join(out, 'pack.tar.gz'), '-C', join(scratch, 'in'), '.'])
execFileSync('7z', ['a', '-bd', '-y', join(out, 'pack.7z'), '.'], {
  cwd: join(scratch, 'in'),
  stdio: 'ignore',
})

const font = '/usr/share/fonts/truetype/dejavu/DejaVuSansMono-BoldOblique.ttf'
await makeFonts(font)
rmSync(scratch, { recursive: true, force: true })

/** A subset is enough, and keeps the samples small: fonttools makes it when installed. */
async function makeFonts(source: string) {
  run(
    'pyftsubset',
    source,
    '--unicodes=U+0020-007E,U+00A0-00FF,U+0391-03C9',
    `--output-file=${join(out, 'letters.ttf')}`,
  )
  run(
    'pyftsubset',
    source,
    '--unicodes=U+0020-007E,U+0391-03C9',
    '--flavor=woff2',
    `--output-file=${join(out, 'letters.woff2')}`,
  )
  const others = ['letters.ttf', 'letters.otf', 'letters.woff'].map((name) => join(out, name))
  run('python3', join(import.meta.dirname, 'sample-fonts.py'), ...others)
}
