// Which bytes are read on the event loop.
import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openForReading } from '../../src/files/volume/read-handle.ts'
import { waitFor } from '../support/deadline.ts'
import { makeTree } from '../support/tree.ts'

const SMALL_BYTES = 64 * 1024

it('the beginning of a file that was read a moment ago is read at once, nothing else', async () => {
  await using tree = await makeTree({})
  const path = tree.at('file')
  await writeFile(path, Buffer.alloc(4 * SMALL_BYTES, 'x'))
  const device = createLocalDevice()
  const buffer = Buffer.alloc(2 * SMALL_BYTES)
  /** True when the bytes are there before anything that has gone through the thread pool can be. */
  const isAtOnce = async (length: number, position: number) => {
    const handle = await openForReading(path, device, true)
    await handle.stat()
    let isDone = false
    const reading = handle.read(buffer, 0, length, position).then(({ bytesRead }) => {
      isDone = true
      expect(bytesRead).toBe(length)
    })
    for (let i = 0; i < 10; i++) await undefined
    const atOnce = isDone
    await reading
    await handle.close()
    return atOnce
  }
  expect(await isAtOnce(SMALL_BYTES, 0)).toBe(false)
  // A disk that was slow for a moment is asked through the pool for two seconds.
  await waitFor('a read at once', () => isAtOnce(SMALL_BYTES, 0))
  expect(await isAtOnce(SMALL_BYTES, 1)).toBe(false)
  expect(await isAtOnce(SMALL_BYTES + 1, 0)).toBe(false)
})
