import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import {
  type Document,
  defaultSettings,
  emptyDocument,
  type Share,
  type User,
} from '../../src/store/document.ts'
import { addShare, findShare, removeShare } from '../../src/store/shares.ts'
import { createStore, openStore } from '../../src/store/store.ts'
import { addUser } from '../../src/store/users.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
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
    await store.update((doc) => addUser(doc, named('a')))
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
    await Promise.all(names.map((name) => store.update((doc) => addUser(doc, named(name)))))
    await store.close()
    const stored = JSON.parse(await readFile(file, 'utf8'))
    expect(stored.users.map((user: User) => user.username).sort()).toEqual([...names].sort())
  })

  it('drops a change that throws and keeps its neighbours', async () => {
    await using tree = await makeTree({})
    const store = await createStore(join(tree.base, 'db.json'), fresh())
    const results = await Promise.allSettled([
      store.update((doc) => addUser(doc, named('a'))),
      store.update((doc) => addUser(doc, named('a'))),
      store.update((doc) => addUser(doc, named('b'))),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(store.read().users.map(({ username }) => username)).toEqual(['a', 'b'])
    await store.close()
  })

  it('takes the next change from whoever was just told that the last one is done', async () => {
    await using tree = await makeTree({})
    const store = await createStore(join(tree.base, 'db.json'), fresh())
    const oneByOne = async () => {
      for (const name of ['a', 'b', 'c']) await store.update((doc) => addUser(doc, named(name)))
    }
    await withDeadline('three changes in a row', 5_000, oneByOne())
    expect(store.read().users.map(({ username }) => username)).toEqual(['a', 'b', 'c'])
    await store.close()
  })

  it('changes memory only after the write succeeded', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'gone')
    const { mkdir, rename } = await import('node:fs/promises')
    await mkdir(folder)
    const store = await createStore(join(folder, 'db.json'), fresh())
    await rename(folder, `${folder}-away`)
    await expect(store.update((doc) => addUser(doc, named('a')))).rejects.toThrow()
    expect(store.read().users).toEqual([])
    await rename(`${folder}-away`, folder)
    await store.update((doc) => addUser(doc, named('b')))
    expect(store.read().users.map(({ username }) => username)).toEqual(['b'])
    await store.close()
  })

  it('notices what another process wrote, and never overwrites it', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const server = await createStore(file, fresh())
    const command = await openStore(file)
    await command.update((doc) => addUser(doc, named('from the command line')))
    await server.update((doc) => addUser(doc, named('from the server')))
    expect(server.read().users.map(({ username }) => username)).toEqual([
      'from the command line',
      'from the server',
    ])
    await waitFor('the other process to see it', () => command.read().users.length === 2, 1_000)
    await Promise.all([server.close(), command.close()])
    expect((await readdir(tree.base)).filter((name) => /lock|tmp/.test(name))).toEqual([])
  })

  it('takes over a lock whose process died', async () => {
    await using tree = await makeTree({})
    const file = join(tree.base, 'db.json')
    const store = await createStore(file, fresh())
    const { hostname } = await import('node:os')
    await writeFile(`${file}.lock`, `999999999 ${hostname()} abc`)
    await store.update((doc) => addUser(doc, named('a')))
    await store.close()
    expect(JSON.parse(await readFile(file, 'utf8')).users).toHaveLength(1)
  })

  it.each([
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
    let doc = fresh()
    for (let i = 0; i < 1_000; i++) [doc] = addUser(doc, named(`user${i}`))
    const store = await createStore(join(tree.base, 'db.json'), doc)
    const busyMs: number[] = []
    for (let i = 0; i < 15; i++) {
      const before = performance.eventLoopUtilization()
      await store.update((now) => [{ ...now, nextUserId: now.nextUserId + 1 }, undefined])
      busyMs.push(performance.eventLoopUtilization(before).active)
    }
    await store.close()
    // The time the loop was busy in all turns of one write; other programs on the machine only add.
    expect(Math.min(...busyMs)).toBeGreaterThan(0)
    expect(Math.min(...busyMs)).toBeLessThan(20)
    const stored = JSON.parse(await readFile(join(tree.base, 'db.json'), 'utf8'))
    expect(stored.users).toHaveLength(1_000)
    expect(stored.nextUserId).toBe(doc.nextUserId + 15)
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
      sessions: Array.from({ length: count }, (_, i) => ({
        id: `session${i}`,
        userID: 1,
        createdMs: 0,
        lastSeenMs: 0,
        remember: false,
        address: '',
        userAgent: '',
      })),
    })
    await store.close()
    const again = await openStore(file)
    expect(again.read().shares).toHaveLength(count)
    expect(again.read().sessions).toHaveLength(count)
    expect(findShare(again.read(), `hash${count - 1}`)?.path).toBe(`/file${count - 1}`)
    await again.close()
  })

  it('an account adds no more than a thousand shares, and others still add theirs', () => {
    let doc = fresh()
    for (let i = 0; i < 1_000; i++) [doc] = addShare(doc, share(i, 1))
    expect(() => addShare(doc, share(1_000, 1))).toThrow(
      expect.objectContaining({ code: 'too_many_shares', status: 400, expose: true }),
    )
    expect(addShare(doc, share(1_000, 2))[0].shares).toHaveLength(1_001)
    const [less] = removeShare(doc, 'hash7')
    expect(addShare(less, share(1_000, 1))[0].shares).toHaveLength(1_000)
  })
})
