// What an archive is taken for, and that it says when it holds more than is listed.

import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { type Pack, pack } from 'tar-stream'
import { expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { openArchive } from '../../../web/viewers/archive/archive-file.ts'
import type { FileSource } from '../../../web/viewers/frame/source.ts'

async function tarOf(fill: (archive: Pack) => void): Promise<Buffer> {
  const archive = pack()
  fill(archive)
  archive.finalize()
  return Buffer.concat(await Readable.from(archive).toArray())
}

function open(bytes: Buffer) {
  const source = {
    readRange: async (_: FileEntry, start: number, end: number) =>
      new Uint8Array(bytes.subarray(start, end)).buffer,
    readStream: async () => new Blob([new Uint8Array(bytes)]).stream(),
  } as Partial<FileSource> as FileSource
  return openArchive(source, { size: bytes.length } as FileEntry, new AbortController().signal)
}

it('takes a tar for one whose first file is called PKGBUILD', async () => {
  const { items, truncated } = await open(
    await tarOf((archive) => archive.entry({ name: 'PKGBUILD' }, 'pkgname=x')),
  )
  expect(items.map(({ path }) => path)).toEqual(['PKGBUILD'])
  expect(truncated).toBe(false)
})

it.each([
  ['plain', (bytes: Buffer) => bytes],
  ['compressed', gzipSync],
])('says that a %s tar holds more than the files listed: links', async (_form, wrap) => {
  const bytes = await tarOf((archive) => {
    archive.entry({ name: 'file' }, 'content')
    archive.entry({ name: 'link', type: 'symlink', linkname: 'file' })
  })
  const { items, truncated } = await open(wrap(bytes))
  expect(items.map(({ path }) => path)).toEqual(['file'])
  expect(truncated).toBe(true)
})

it('opens a tar of nothing but links', async () => {
  const bytes = await tarOf((archive) =>
    archive.entry({ name: 'link', type: 'symlink', linkname: 'elsewhere' }),
  )
  for (const form of [bytes, gzipSync(bytes)]) {
    expect(await open(form)).toMatchObject({ items: [], truncated: true })
  }
})

it('goes on behind a sparse file whose map does not fit into its header', async () => {
  const bytes = await tarOf((archive) => {
    archive.entry({ name: 'sparse' }, 'x')
    archive.entry({ name: 'after' }, 'content')
  })
  const header = bytes.subarray(0, 512)
  header.write('S', 156)
  header[482] = 1
  header.write('        ', 148)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const map = Buffer.alloc(512)
  const sparse = Buffer.concat([header, map, bytes.subarray(512)])
  const { items, truncated } = await open(sparse)
  expect(items.map(({ path }) => path)).toEqual(['after'])
  expect(truncated).toBe(true)
})
