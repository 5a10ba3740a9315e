import { expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { storeZip } from '../../../web/lib/store-zip.ts'
import type { FileSource } from '../../../web/viewers/frame/source.ts'
import { readWhole, repackOffice } from '../../../web/viewers/office/repack.ts'

const { signal } = new AbortController()

/** A source whose only file is `bytes` by now. */
function sourceOf(bytes: Uint8Array<ArrayBuffer>): FileSource {
  return {
    readRange: async (_: FileEntry, start: number, end: number) => bytes.slice(start, end).buffer,
  } as Partial<FileSource> as FileSource
}

it('reads a file to its end that became longer since it was listed', async () => {
  const zip = storeZip([['word/document.xml', new TextEncoder().encode('<w>many words</w>')]])
  const entry = { size: zip.length - 100 } as FileEntry
  expect(await repackOffice(sourceOf(zip), entry, signal)).toEqual(zip)
})

it('refuses one that became too large, or is listed as that', async () => {
  const source = sourceOf(new Uint8Array(11))
  const tooLarge = { reason: 'too_large' }
  await expect(readWhole(source, { size: 1 } as FileEntry, 10, signal)).rejects.toMatchObject(
    tooLarge,
  )
  await expect(readWhole(source, { size: 11 } as FileEntry, 10, signal)).rejects.toMatchObject(
    tooLarge,
  )
  const fitting = await readWhole(source, { size: 1 } as FileEntry, 11, signal)
  expect(fitting.byteLength).toBe(11)
})
