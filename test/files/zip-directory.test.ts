// The directory of a zip is read here where all in it is plain, and left to the library where it is not.
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { expect, it } from 'vitest'
import type { ArchiveFile } from '../../src/files/extract/source.ts'
import { entriesOf, findDirectory } from '../../src/files/extract/zip-directory.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const TIME_S = 1_000_000_001

/** Makes an archive of a file and a folder by these words. */
async function pack(tree: Tree, program: string, ...words: string[]) {
  needProgram(program)
  await tree.add({ 'docs/ü.txt': 'text '.repeat(1000), 'docs/none': null })
  utimesSync(tree.at('docs/ü.txt'), TIME_S, TIME_S)
  execFileSync(program, [...words, 'x.zip', 'docs'], { cwd: tree.root, stdio: 'pipe' })
  return tree.at('x.zip')
}

async function read(path: string) {
  const fd = openSync(path, 'r')
  try {
    const file: ArchiveFile = { fd, name: 'x.zip', sizeBytes: statSync(path).size, onRead() {} }
    const place = await findDirectory(file)
    return { place, entries: place ? [...entriesOf(file, place, '')] : [] }
  } finally {
    closeSync(fd)
  }
}

it.each([
  ['zip', ['-qr']],
  ['zip', ['-qr0']],
  ['zip', ['-qrfz']],
  ['bsdtar', ['--format=zip', '-cf']],
  ['7zz', ['a', '-bd', '-tzip']],
])('of %s %s is read here', async (program, words) => {
  await using tree = await makeTree({})
  const { place, entries } = await read(await pack(tree, program, ...words))
  expect(place?.isUsual).toBe(true)
  expect(entries).toHaveLength(place?.count ?? 0)
  const file = entries.find((entry) => entry?.name === 'docs/ü.txt')
  expect(file).toMatchObject({ isFolder: false, sizeBytes: 5000, unixMode: 0o100644 })
  expect(Math.abs((file?.mtimeMs ?? 0) - TIME_S * 1000)).toBeLessThanOrEqual(1000)
  expect(entries.find((entry) => entry?.name === 'docs/none/')?.isFolder).toBe(true)
})

it('that is not where it says, or of another kind, is left to the library', async () => {
  await using tree = await makeTree({})
  const plain = await pack(tree, 'zip', '-qr')
  writeFileSync(tree.at('moved.zip'), Buffer.concat([Buffer.from('front'), readFileSync(plain)]))
  expect((await read(tree.at('moved.zip'))).place?.isUsual).toBe(false)
  writeFileSync(tree.at('longer.zip'), Buffer.concat([readFileSync(plain), Buffer.from('back')]))
  expect((await read(tree.at('longer.zip'))).place?.isUsual).toBe(false)
  rmSync(plain)
  const locked = await pack(tree, 'zip', '-qr', '-P', 'secret')
  expect((await read(locked)).entries).toContain(null)
})

it('is missing where nothing tells of it', async () => {
  await using tree = await makeTree({ 'x.zip': 'no zip '.repeat(100) })
  expect((await read(tree.at('x.zip'))).place).toBeNull()
})
