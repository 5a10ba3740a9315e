// What a zip keeps until its end of each entry.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createZipWriter, itemOf } from '../../src/files/archive/zip.ts'

const MIB = 1024 * 1024
const ENTRIES = 5_000

it('a zip of many files keeps their headers, and nothing that was in memory beside them', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let writtenBytes = 0
  const writer = createZipWriter({
    write: async (bytes) => {
      writtenBytes += bytes.length
    },
  })
  collect()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < ENTRIES; i++) {
    writer.list(itemOf({ name: `folder/${i}.txt`, mode: 0o644, mtimeMs: 0 }, 10))
    // Such as the content of a small file.
    Buffer.allocUnsafe(20_000)
  }
  const left = () => {
    collect()
    return process.memoryUsage().arrayBuffers - before
  }
  // A thread of its own gives back what was collected.
  await expect.poll(left).toBeLessThan(5 * MIB)
  await writer.end()
  expect(writtenBytes).toBeGreaterThan(ENTRIES * 46)
})
