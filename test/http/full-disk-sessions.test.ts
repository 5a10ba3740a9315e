// Signing in and out while the disk of the database is full: people must get in to make room, and what
// was ended must not live on.

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hash as bcrypt } from 'bcrypt'
import { describe, expect, it } from 'vitest'
import { SECOND_FACTORS } from '../../src/store/collections.ts'
import { openStore } from '../../src/store/store.ts'
import { PASSWORD, startApp, type TestApp } from '../support/app.ts'
import { waitFor } from '../support/deadline.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { type AllRecords, changeRecords, recordsOf } from '../support/records.ts'
import { codeOf } from '../support/totp.ts'
import { makeTree } from '../support/tree.ts'

const DISK_BYTES = 256 * 1024

interface FullDisk extends AsyncDisposable {
  app: TestApp
  database: string
  /** What another process finds. */
  stored(): Promise<AllRecords>
  fill(): Promise<void>
  makeRoom(): Promise<void>
}

/** An application whose database lies on a small disk of its own. */
async function onSmallDisk(): Promise<FullDisk> {
  const place = await makeTree({})
  const folder = join(place.base, 'disk')
  const disk = await mountDisk(folder, DISK_BYTES)
  const database = join(folder, 'filebrowser.db')
  const imported = await bcrypt(PASSWORD, 4)
  const app = await startApp({ database, users: [{ username: 'bob', password: imported }] })
  const filler = join(folder, 'filler')
  return {
    app,
    database,
    stored: async () => {
      const store = await openStore(database)
      await store.close()
      return recordsOf(store)
    },
    fill: async () => {
      const bytes = Buffer.alloc(DISK_BYTES)
      await expect(writeFile(filler, bytes)).rejects.toMatchObject({ code: 'ENOSPC' })
    },
    makeRoom: () => rm(filler),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await disk[Symbol.asyncDispose]()
      await place[Symbol.asyncDispose]()
    },
  }
}

const status = async (user: { fetch: TestApp['fetch'] }) => (await user.fetch('/api/usage/')).status

describe.skipIf(!MAY_MOUNT)('on a full disk', () => {
  it('people sign in with a second step, and a code counts once there too', async () => {
    await using full = await onSmallDisk()
    const { app } = full
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
    const factor = { lastStep: 0, recovery: [], createdMs: 1, required: false }
    await app.store.transaction((tx) => tx.insert(SECOND_FACTORS, { userID: 1, secret, ...factor }))
    await full.fill()
    const body = JSON.stringify({ username: 'admin', password: PASSWORD, code: codeOf(secret) })
    const signIn = async () => (await app.fetch('/api/login', { method: 'POST', body })).status
    expect([await signIn(), await signIn()]).toEqual([200, 403])
    await full.makeRoom()
    await waitFor('the step on disk', async () => {
      const store = await openStore(full.database)
      await store.close()
      return (store.get(SECOND_FACTORS, 1)?.lastStep ?? 0) > 0
    })
  })

  it('people sign in, also with a password whose hash is to be replaced, and the log says so once', async () => {
    await using full = await onSmallDisk()
    await full.fill()
    const admin = await full.app.login('admin')
    const bob = await full.app.login('bob')
    expect([await status(admin), await status(bob)]).toEqual([200, 200])
    const lines = full.app.log.filter((line) => line.includes('until the database can be written'))
    expect(lines).toHaveLength(1)
    await full.makeRoom()
    await waitFor('the sessions on disk', async () => (await full.stored()).sessions.length === 2)
    await waitFor('the new hash on disk', async () =>
      (await full.stored()).users[1]?.password.includes('$argon2id$'),
    )
  })

  it('sessions end and stay ended, whatever the disk says, and are written when there is room', async () => {
    await using full = await onSmallDisk()
    const { app } = full
    const [first, second, third] = [
      await app.login('bob'),
      await app.login('bob'),
      await app.login('bob'),
    ]
    await full.fill()
    const late = await app.login('bob')
    expect((await first.fetch('/api/logout', { method: 'POST' })).status).toBe(204)
    expect([await status(first), await status(second)]).toEqual([401, 200])
    expect((await second.fetch('/api/sessions', { method: 'DELETE' })).status).toBe(204)
    const all = [first, second, third, late]
    expect(await Promise.all(all.map(status))).toEqual([401, 200, 401, 401])
    // Another process writes what it knows from the disk, as the command line does.
    await full.makeRoom()
    const other = await openStore(full.database)
    await changeRecords(other, ({ settings }) => ({ settings: { ...settings, shell: ['sh'] } }))
    await other.close()
    await waitFor('the one session that is left on disk', async () => {
      expect(await Promise.all(all.map(status))).toEqual([401, 200, 401, 401])
      return (await full.stored()).sessions.length === 1
    })
    expect((await full.stored()).settings.shell).toEqual(['sh'])
  })

  it('a change that needs the disk is refused and takes nothing along that was kept in memory', async () => {
    await using full = await onSmallDisk()
    const { app } = full
    await full.fill()
    const bob = await app.login('bob')
    const rename = changeRecords(app.store, ({ settings }) => ({
      settings: { ...settings, shell: ['sh'] },
    }))
    const eve = app.login('admin')
    await expect(rename).rejects.toMatchObject({ code: 'no_space' })
    expect(app.store.settings().shell).toEqual([])
    expect(await Promise.all([status(bob), status(await eve)])).toEqual([200, 200])
  })
})
