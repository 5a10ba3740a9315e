// The packaged program holds the compressors of every format, native parts and threads included.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { archiveExtension } from '../../src/files/archive/archive.ts'
import { describeTree, FORMATS, unpack } from '../support/archives.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

it('makes every format of archive', async () => {
  await using tree = await makeTree({
    'text.txt': 'again and again\n'.repeat(80_000),
    'noise.bin': new Uint8Array(1_200_000).map(() => Math.random() * 256),
    'folder/ü.txt': 'ü',
    empty: null,
  })
  const expected = await describeTree(tree.root)
  await using program = await startProgram(tree)
  const admin = await loginAs(program.origin)
  for (const format of FORMATS) {
    const file = join(tree.base, `archive${archiveExtension(format)}`)
    const into = join(tree.base, `unpacked-${format}`)
    await mkdir(into)
    const response = await admin.fetch(`/api/raw/?algo=${format}`)
    expect(response.status).toBe(200)
    await writeFile(file, Buffer.from(await response.arrayBuffer()))
    await unpack(format, file, into)
    expect(await describeTree(into), format).toEqual(expected)
  }
  expect(program.output()).not.toMatch(/error:/)
})
