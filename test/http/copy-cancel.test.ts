// A copy whose client goes away ends there and leaves nothing.
import { readdirSync, readlinkSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'

const GIB = 2 ** 30

/** True while this process, which is the server, has the file open. */
function isOpen(path: string): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      // The descriptor of this very look is closed again.
      return false
    }
  })
}

it('stops copying a large file when the client cancels, and leaves nothing behind', async (context) => {
  await using app = await startApp({ tree: { to: null } })
  const large = app.tree.at('large.bin')
  const file = await open(large, 'w')
  await file.truncate(8 * GIB)
  await file.close()
  const admin = await app.as('admin')
  const controller = new AbortController()
  const copying = admin
    .fetch('/api/resources/large.bin?action=copy&destination=%2Fto%2Flarge.bin', {
      method: 'PATCH',
      signal: controller.signal,
    })
    .then(
      () => 'done',
      () => 'cancelled',
    )
  await waitFor('the copying', () => isOpen(large))
  controller.abort()
  // A file system that shares blocks is done before anyone can cancel.
  if ((await copying) === 'done') context.skip()
  await waitFor('the end of it', () => !isOpen(large))
  expect(await readdir(app.tree.at('to'))).toEqual([])
  expect(app.errors).toEqual([])
})
