import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { createSessions } from '../../src/auth/sessions.ts'
import type { Collection } from '../../src/store/collection.ts'
import { COLLECTIONS, SESSIONS, SHARES, USERS } from '../../src/store/collections.ts'
import {
  type Document,
  defaultSettings,
  emptyDocument,
  type Share,
  type User,
} from '../../src/store/document.ts'
import { addShare, findShare } from '../../src/store/shares.ts'
import { createStore, openStore } from '../../src/store/store.ts'
import { addUser } from '../../src/store/users.ts'
import { leastMs } from '../support/cpu-time.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { MAY_MOUNT, mountDisk } from '../support/mounts.ts'
import { makeTree } from '../support/tree.ts'

const fresh = (): Document => emptyDocument(defaultSettings())

function named(username: string): Omit<User, 'id'> {
  return { ...defaultSettings().defaults, username, password: 'x', lockPassword: false, rules: [] }
}

describe('the database file', () => {
  it('is readable by its owner alone, and so is the copy kept beside it', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const store = await createStore(file, fresh())
    await store.transaction((tx) => addUser(tx, named('a')))
    await store.close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(`${file}.bak`)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(`${file}.bak`, 'utf8')).users).toEqual([])
  })

  it('writes many waiting changes at once and loses none', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const store = await createStore(file, fresh())
    const names = Array.from({ length: 200 }, (_, i) => `user${i}`)
    await Promise.all(names.map((name) => store.transaction((tx) => addUser(tx, named(name)))))
    await store.close()
    const stored = JSON.parse(await readFile(file, 'utf8'))
    expect(stored.users.map((user: User) => user.username).sort()).toEqual([...names].sort())
  })

  it('drops a change that throws and keeps its neighbours', async () => {
    await using tree = await makeTree({})
    const store = await createStore(join(tree.base, 'db.json'), fresh())
    const results = await Promise.allSettled([
      store.transaction((tx) => addUser(tx, named('a'))),
      store.transaction((tx) => addUser(tx, named('a'))),
      store.transaction((tx) => addUser(tx, named('b'))),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(store.all(USERS).map(({ username }) => username)).toEqual(['a', 'b'])
    await store.close()
  })

  it('takes the next change from whoever was just told that the last one is done', async () => {
    await using tree = await makeTree({})
    const store = await createStore(join(tree.base, 'db.json'), fresh())
    const oneByOne = async () => {
      for (const name of ['a', 'b', 'c']) await store.transaction((tx) => addUser(tx, named(name)))
    }
    await withDeadline('three changes in a row', 60_000, oneByOne())
    expect(store.all(USERS).map(({ username }) => username)).toEqual(['a', 'b', 'c'])
    await store.close()
  })

  it('changes memory only after the write succeeded', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'gone')
    const { mkdir, rename } = await import('node:fs/promises')
    await mkdir(folder)
    const store = await createStore(join(folder, 'db.json'), fresh())
    await rename(folder, `${folder}-away`)
    await expect(store.transaction((tx) => addUser(tx, named('a')))).rejects.toThrow()
    expect(store.all(USERS)).toEqual([])
    await rename(`${folder}-away`, folder)
    await store.transaction((tx) => addUser(tx, named('b')))
    expect(store.all(USERS).map(({ username }) => username)).toEqual(['b'])
    await store.close()
  })

  it.runIf(MAY_MOUNT)(
    'that could not be written leaves nothing: no account, no session, no number to be given again (needs root)',
    async () => {
      await using tree = await makeTree({})
      const folder = join(tree.base, 'small')
      await using _disk = await mountDisk(folder, 256 * 1024)
      const store = await createStore(join(folder, 'db.json'), fresh())
      const sessions = createSessions(store, { idleMs: 60_000, maxMs: 60_000 })
      // There is room for the lock, and none for the account.
      await writeFile(join(folder, 'room'), 'x'.repeat(16 * 1024))
      await writeFile(join(folder, 'full'), 'x'.repeat(512 * 1024)).catch(() => {})
      await truncate(join(folder, 'room'), 0)
      const told: string[][] = []
      store.subscribe((changes) => {
        const before = [...changes.before(USERS)].map(([, user]) => user?.username ?? '')
        if (before.length > 0) told.push(before)
      })
      let opening: Promise<unknown> | undefined
      const given: number[] = []
      const adding = store.transaction((tx) => {
        const { id } = addUser(tx, { ...named('a'), password: 'x'.repeat(64 * 1024) })
        given.push(id)
        queueMicrotask(() => {
          const facts = { remember: false, address: '', userAgent: '' }
          opening = sessions.open(id, facts).catch((error: unknown) => error)
        })
      })
      await expect(adding).rejects.toMatchObject({ code: 'no_space' })
      expect(await opening).toMatchObject({ code: 'unauthenticated' })
      expect(store.all(USERS)).toEqual([])
      expect(store.all(SESSIONS)).toEqual([])
      expect(told).toEqual([])
      await truncate(join(folder, 'full'), 0)
      const { id } = await store.transaction((tx) => addUser(tx, named('b')))
      expect(id).toBeGreaterThan(given[0] as number)
      await store.close()
    },
  )

  it('notices what another process wrote, and never overwrites it', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const server = await createStore(file, fresh())
    const command = await openStore(file)
    await command.transaction((tx) => addUser(tx, named('from the command line')))
    await server.transaction((tx) => addUser(tx, named('from the server')))
    expect(server.all(USERS).map(({ username }) => username)).toEqual([
      'from the command line',
      'from the server',
    ])
    await waitFor('the other process to see it', () => command.count(USERS) === 2)
    await Promise.all([server.close(), command.close()])
    expect((await readdir(tree.base)).filter((name) => /lock|tmp/.test(name))).toEqual([])
  })

  it('takes over a lock whose process died', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const store = await createStore(file, fresh())
    const { hostname } = await import('node:os')
    await writeFile(`${file}.lock`, `999999999 ${hostname()} abc`)
    await store.transaction((tx) => addUser(tx, named('a')))
    await store.close()
    expect(JSON.parse(await readFile(file, 'utf8')).users).toHaveLength(1)
  })

  it('of schema 1 opens with its sessions, is written as schema 2, and stays as a copy', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const session = { createdMs: 1, lastSeenMs: 2, remember: true, address: '', userAgent: 'x' }
    const old = {
      version: 1,
      settings: defaultSettings(),
      users: [{ ...named('a'), id: 1 }],
      shares: [],
      sessions: [{ ...session, id: 's', userID: 1 }],
      nextUserId: 9,
      importedFrom: { path: '/old.db', sha256: 'x', sizeBytes: 1, atMs: 2 },
    }
    const text = JSON.stringify(old)
    await writeFile(file, text)
    const store = await openStore(file)
    expect(store.all(SESSIONS)).toEqual(old.sessions)
    expect((await readdir(tree.base)).filter((name) => name.startsWith('db'))).toEqual(['db.json'])
    await store.transaction((tx) => addUser(tx, named('b')))
    await store.close()
    expect(await readFile(`${file}.schema1`, 'utf8')).toBe(text)
    expect((await stat(`${file}.schema1`)).mode & 0o777).toBe(0o600)
    const { sessions, ...stored } = JSON.parse(await readFile(file, 'utf8'))
    expect(stored).toMatchObject({
      version: 2,
      next: { users: 10 },
      importedFrom: old.importedFrom,
    })
    expect(sessions).toBeUndefined()
    const again = await openStore(file)
    expect(again.all(SESSIONS)).toEqual(old.sessions)
    expect(again.all(USERS).map(({ id, username }) => [id, username])).toEqual([
      [1, 'a'],
      [9, 'b'],
    ])
    await again.close()
  })

  it('carries along what a later release has added, except what has to be known', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const users = [{ ...named('a'), id: 1, quota: 7 }]
    const later = { ...fresh(), users, teams: [{ id: 1 }], requires: ['users'] }
    await writeFile(file, JSON.stringify(later))
    const store = await openStore(file)
    await store.transaction((tx) => addUser(tx, named('b')))
    await store.close()
    const stored = JSON.parse(await readFile(file, 'utf8'))
    expect(stored).toMatchObject({ users: [{ quota: 7 }, {}], teams: [{ id: 1 }] })
    const text = JSON.stringify({ ...later, requires: ['users', 'marks'] })
    await writeFile(file, text)
    await expect(openStore(file)).rejects.toThrow(/newer version, which knows marks/)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('is not opened without a collection that has to be known, once there is something in it', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const factors: Collection<{ id: string }, never> = {
      name: 'factors',
      life: 'kept',
      keyOf: ({ id }) => id,
      indexes: {},
      unique: [],
      isRequired: true,
      parse: (r) => ({ id: r.str('id') }),
    }
    const all = [...COLLECTIONS, factors as Collection]
    const store = await createStore(file, fresh(), undefined, all)
    await store.transaction((tx) => addUser(tx, named('a')))
    await (await openStore(file)).close()
    await store.transaction((tx) => tx.insert(factors, { id: 'x' }))
    await expect(openStore(file)).rejects.toThrow('which knows factors')
    await store.transaction((tx) => tx.remove(factors, 'x'))
    await (await openStore(file)).close()
    await store.close()
  })

  it.each([
    ['of the next schema', '{"version": 3}', /newer version.*left untouched/s],
    ['damaged', '{"version": 1, "users": [', /damaged.*left untouched/s],
    ['from a newer version', '{"version": 99}', /newer version.*left untouched/s],
    ['not ours', '{"version": 1, "settings": {"key": 3}}', /not valid.*left untouched/s],
  ])('refuses a file that is %s, says what to do and leaves it alone', async (_, text, message) => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    await writeFile(file, text)
    await expect(openStore(file)).rejects.toThrow(message)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('writes 1,000 users without holding up the event loop for 20 ms', async () => {
    await using tree = await makeTree({})
    const users = Array.from({ length: 1_000 }, (_, i) => ({ ...named(`user${i}`), id: i + 1 }))
    const store = await createStore(join(tree.base, 'db.json'), { ...fresh(), users })
    let writes = 0
    // The time the loop is busy in all turns of one write.
    const busyMs = await leastMs(20, async () => {
      const before = performance.eventLoopUtilization()
      await store.transaction((tx) => tx.nextId(USERS))
      writes++
      return performance.eventLoopUtilization(before).active
    })
    await store.close()
    expect(busyMs).toBeGreaterThan(0)
    expect(busyMs).toBeLessThan(20)
    const stored = JSON.parse(await readFile(join(tree.base, 'db.json'), 'utf8'))
    expect(stored.users).toHaveLength(1_000)
    expect(stored.next.users).toBe(1_001 + writes)
  })
})

describe('however much the database holds', () => {
  const share = (i: number, userID: number): Share => ({
    hash: `hash${i}`,
    path: `/file${i}`,
    userID,
    expire: 0,
    passwordHash: '',
    token: '',
  })

  it('it opens again', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const count = 100_001
    const store = await createStore(file, {
      ...fresh(),
      users: [{ ...named('a'), id: 1 }],
      shares: Array.from({ length: count }, (_, i) => share(i, 1)),
    })
    await store.close()
    const again = await openStore(file)
    expect(again.count(SHARES)).toBe(count)
    expect(findShare(again, `hash${count - 1}`)?.path).toBe(`/file${count - 1}`)
    await again.close()
  })

  it('an account adds no more than a thousand shares, and others still add theirs', async () => {
    await using tree = await makeTree({})
    const shares = Array.from({ length: 1_000 }, (_, i) => share(i, 1))
    const store = await createStore(join(tree.base, 'db.json'), { ...fresh(), shares })
    const add = (userID: number) =>
      store.transaction((tx) => addShare(tx, share(1_000 + userID, userID)))
    await expect(add(1)).rejects.toMatchObject({
      code: 'too_many_shares',
      status: 400,
      expose: true,
    })
    await add(2)
    expect(store.count(SHARES)).toBe(1_001)
    await store.transaction((tx) => tx.remove(SHARES, 'hash7'))
    await add(1)
    expect(store.count(SHARES)).toBe(1_001)
    await store.close()
  })
})
