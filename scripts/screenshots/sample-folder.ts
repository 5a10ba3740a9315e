// The folder that the screenshots show, with contents made here.

import { truncate, utimes } from 'node:fs/promises'
import sharp from 'sharp'
import { makeTree, type Tree } from '../../test/support/tree.ts'
import { makeBook, makePdf } from '../sample-documents.ts'

/** Path of the folder inside the served one, as it is written in an address. */
export const LAUNCH = 'Projects/Aurora%20launch/'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const KIB = 1024
const MIB = 1024 * KIB

const PLAN = `# Aurora launch

Everything that has to be **true** on the morning of the 9th.

## Before the doors open

- [x] Press kit approved
- [x] Site build behind the preview address
- [ ] Keynote, fourth draft
- [ ] Teaser cut without the drone shot

| Who   | What            | When  |
| ----- | --------------- | ----- |
| Mara  | Site, redirects | 07:30 |
| Jonas | Press calls     | 08:00 |
| Ines  | Stage and sound | 08:30 |

> The hero picture stays up until noon.

\`\`\`ts
export const opensAt = new Date('2026-12-09T09:00:00+01:00')
\`\`\`
`

/** Size in bytes and age of each file; pictures get their content below. */
const files: Record<string, [sizeBytes: number, ageMs: number]> = {
  'budget-2027.xlsx': [84.2 * KIB, 3 * HOUR_MS],
  'dawn-hero.jpg': [0, DAY_MS],
  'deploy.sh': [0, 15 * DAY_MS],
  'keynote-draft-4.pptx': [31.6 * MIB, 1.2 * DAY_MS],
  'launch-plan.md': [0, 12 * MINUTE_MS],
  'mountain-lake.jpg': [0, 2 * DAY_MS],
  'press-kit.zip': [212 * MIB, 10 * DAY_MS],
  'signed-agreement.pdf': [0, 11 * DAY_MS],
  'team-book.epub': [0, 13 * DAY_MS],
  'theme-final.wav': [38.9 * MIB, 13 * DAY_MS],
  'tokens.json': [0, 3 * DAY_MS],
  'winter-forest.jpg': [0, 5 * DAY_MS],
}
const folders: Record<string, number> = {
  'Brand assets': DAY_MS,
  Contracts: 9 * DAY_MS,
  Interviews: 12 * DAY_MS,
  'Site build': 2 * HOUR_MS,
}

/** Hills below a sky, in colours of one's own. */
async function landscape(sky: [string, string], hills: string[], seed: number): Promise<Buffer> {
  const ridges = hills.map((fill, n) => {
    const base = 520 + n * 110
    let path = `M0 1000 L0 ${base}`
    for (let x = 0; x <= 1500; x += 6) {
      const wave = Math.sin(x / (150 - n * 25) + seed + n) * Math.cos(x / (61 + n * 9) + seed * 2)
      path += ` L${x} ${(base - 70 * (1 + wave)).toFixed(1)}`
    }
    return `<path d="${path} L1500 1000 Z" fill="${fill}"/>`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1500" height="1000"><defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="${sky[0]}"/><stop offset=".7" stop-color="${sky[1]}"/></linearGradient></defs><rect width="1500" height="1000" fill="url(#s)"/><circle cx="1040" cy="360" r="62" fill="#fff6da" opacity=".9"/>${ridges.join('')}</svg>`
  return sharp(Buffer.from(svg)).jpeg({ quality: 85 }).toBuffer()
}

/** The folder of the pictures: a product launch with every kind of file, a day to two weeks old. */
export async function makeSampleTree(): Promise<Tree> {
  const dawn = await landscape(['#4a4f86', '#f0b795'], ['#8a6f9c', '#575587', '#28305a'], 1)
  const pictures: Record<string, Uint8Array | string> = {
    'dawn-hero.jpg': dawn,
    'mountain-lake.jpg': await landscape(
      ['#5fa8d8', '#dff1f7'],
      ['#7fa7b8', '#4b7f8f', '#22505e'],
      3,
    ),
    'winter-forest.jpg': await landscape(
      ['#9fb3c4', '#eef2f5'],
      ['#b9c8d2', '#7d95a3', '#3f5866'],
      6,
    ),
    'deploy.sh': '#!/bin/sh\nset -eu\nnpm ci\nnpm run build\nrsync -a dist/ web:/srv/aurora/\n',
    'launch-plan.md': PLAN,
    'signed-agreement.pdf': makePdf(await sharp(dawn).resize(480, 320).jpeg().toBuffer()),
    'team-book.epub': await makeBook(await sharp(dawn).resize(480, 320).jpeg().toBuffer()),
    'tokens.json': '{\n  "accent": "#2563eb",\n  "radius": 12\n}\n',
  }
  const at = (name: string) => `Projects/Aurora launch/${name}`
  const names = [...Object.keys(files).map((name) => [name, pictures[name] ?? ''] as const)]
  const tree = await makeTree({
    ...Object.fromEntries(names.map(([name, content]) => [at(name), content])),
    ...Object.fromEntries(Object.keys(folders).map((name) => [`${at(name)}/readme.txt`, 'x'])),
    'Projects/Nothing yet': null,
    'Family photos/a.txt': 'a',
    'Invoices 2026/b.txt': 'b',
  })
  const nowMs = Date.now()
  const aged = [
    ...Object.entries(files),
    ...Object.entries(folders).map(([n, age]) => [n, [0, age]]),
  ]
  for (const [name, [sizeBytes, ageMs]] of aged as [string, [number, number]][]) {
    if (sizeBytes > 0) await truncate(tree.at(at(name)), Math.round(sizeBytes))
    const time = new Date(nowMs - ageMs)
    await utimes(tree.at(at(name)), time, time)
  }
  return tree
}
