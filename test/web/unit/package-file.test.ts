import { expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { openPackage } from '../../../web/viewers/package-file.ts'
import { storeZip } from '../../../web/viewers/repack.ts'
import type { FileSource } from '../../../web/viewers/source.ts'

it('has room for what is shown at one time, and the whole room again for what is shown next', async () => {
  const page = new Uint8Array(60 * 1024 * 1024)
  const zip = storeZip([['page.png', page]])
  const source = {
    readRange: async (_: FileEntry, start: number, end: number) => zip.slice(start, end).buffer,
  } as Partial<FileSource> as FileSource
  const entry = { size: zip.length } as FileEntry
  const file = await openPackage(source, entry, new AbortController().signal)
  for (let read = 0; read < 8; read++) await file.bytes('page.png')
  await expect(file.bytes('page.png')).rejects.toMatchObject({ reason: 'too_large' })
  expect(await file.afresh().bytes('page.png')).toHaveLength(page.length)
})
