// A job amid a large file: what has come of it stays hidden while the job may go on, and not longer.
import { open, readdir, stat } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { act, begin, endOf, jobOf } from '../support/jobs.ts'

const GIB = 1024 ** 3

async function withLarge(bytes: number) {
  const app = await openApp({ tree: { to: null } })
  const file = await open(app.tree.at('large.bin'), 'w')
  await file.truncate(bytes)
  await file.close()
  const hidden = async () =>
    (await readdir(app.tree.at('to'))).filter((name) => name.startsWith('.fb-'))
  return { app, admin: await app.as('admin'), hidden }
}

it('a copy that is paused amid a file goes on with its hidden file, and cancelled leaves nothing', async () => {
  const { app, admin, hidden } = await withLarge(4 * GIB)
  await using _ = app
  const { id } = await begin(admin, { kind: 'copy', items: ['/large.bin'], to: '/to' })
  const amid = async () => {
    const { bytesDone } = await jobOf(admin, id)
    await waitFor('some bytes', async () => (await jobOf(admin, id)).bytesDone > bytesDone)
    expect((await act(admin, id, 'pause')).status).toBe(200)
    return jobOf(admin, id)
  }
  const first = await amid()
  expect(first.state).toBe('paused')
  const names = await hidden()
  expect(names).toHaveLength(1)
  const { ino, size } = await stat(app.tree.at(`to/${names[0]}`))
  expect(size).toBeGreaterThan(0)
  expect((await act(admin, id, 'resume')).status).toBe(200)
  await amid()
  expect(await hidden()).toEqual(names)
  const later = await stat(app.tree.at(`to/${names[0]}`))
  expect([later.ino, later.size > size]).toEqual([ino, true])
  expect((await act(admin, id, 'cancel')).status).toBe(200)
  expect((await endOf(admin, id)).state).toBe('cancelled')
  expect(await readdir(app.tree.at('to'))).toEqual([])
})
