import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { storeZip } from '../../../web/lib/store-zip.ts'
import type { FileSource } from '../../../web/viewers/frame/source.ts'
import { openPackage } from '../../../web/viewers/office/package-file.ts'
import { rawZip } from '../../support/bombs.ts'

/** The source of one file in memory, and the file. */
function inMemory(zip: Uint8Array<ArrayBuffer>): [FileSource, FileEntry] {
  const source = {
    readRange: async (_: FileEntry, start: number, end: number) => zip.slice(start, end).buffer,
  } as Partial<FileSource> as FileSource
  return [source, { size: zip.length } as FileEntry]
}

it('has room for what is shown at one time, and the whole room again for what is shown next', async () => {
  const page = new Uint8Array(60 * 1024 * 1024)
  const zip = storeZip([['page.png', page]])
  const file = await openPackage(...inMemory(zip), new AbortController().signal)
  for (let read = 0; read < 8; read++) await file.bytes('page.png')
  await expect(file.bytes('page.png')).rejects.toMatchObject({ reason: 'too_large' })
  expect(await file.afresh().bytes('page.png')).toHaveLength(page.length)
})

it('has no more room for parts that are asked for all at once', async () => {
  const claimed = 60 * 1024 * 1024
  const few = deflateRawSync('few')
  const names = Array.from({ length: 9 }, (_, i) => `${i}.png`)
  const zip = new Uint8Array(rawZip(names.map((name) => [name, few, claimed])))
  const file = await openPackage(...inMemory(zip), new AbortController().signal)
  const read = await Promise.allSettled(names.map((name) => file.bytes(name)))
  expect(read.map(({ status }) => status === 'fulfilled')).toEqual(names.map((_, i) => i < 8))
  // Room that was not needed is there again.
  expect(await file.bytes('8.png')).toHaveLength(3)
})
