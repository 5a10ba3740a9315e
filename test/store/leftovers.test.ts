// What kills leave beside the database goes at the next start, and nothing else does.

import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { USERS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument } from '../../src/store/document.ts'
import { removeLeftovers } from '../../src/store/leftovers.ts'
import { createStore } from '../../src/store/store.ts'
import { addUser } from '../../src/store/users.ts'
import { waitFor } from '../support/deadline.ts'
import { cwd, freshFolders, serve } from '../support/serve.ts'
import { makeTree } from '../support/tree.ts'

const LEFT = [
  '.fb.db.0123456789ab.tmp',
  'fb.db.bak.0123456789ab',
  '.fb.db.sessions.0123456789ab.tmp',
  '.fb.db.schema1.0123456789ab.tmp',
]
/** Near misses: of another database, of another length, of somebody's own. */
const THEIRS = [
  '.fb.db.0123456789ab.tmp.txt',
  '.fb.db.0123456789.tmp',
  '.fb.db.mine.0123456789ab.tmp',
  '.fb_db.0123456789ab.tmp',
  '.other.db.0123456789ab.tmp',
  'fb.db.bak.monday',
  'fb.db.bak.0123456789abc',
  'fb.db.lock.0123456789ab',
]

describe('the start of a server', () => {
  freshFolders()

  it('removes unfinished copies of its database by their exact names', async () => {
    for (const name of [...LEFT, ...THEIRS]) await writeFile(join(cwd, name), 'with hashes')
    const server = await serve(['-d', 'fb.db'])
    await waitFor('the clean-up', async () => {
      const names = await readdir(cwd)
      return LEFT.every((name) => !names.includes(name))
    })
    expect(await readdir(cwd)).toEqual(expect.arrayContaining(THEIRS))
    expect(await server.stop()).toBe(0)
  })
})

it('a command that writes at the same time loses nothing by it', async () => {
  await using tree = await makeTree({})
  const file = join(tree.base, 'fb.db')
  const store = await createStore(file, emptyDocument(defaultSettings()))
  let isWriting = true
  const removing = (async () => {
    for (let n = 0; isWriting || n < 50; n++) {
      await writeFile(join(tree.base, LEFT[n % LEFT.length] ?? ''), '')
      await removeLeftovers(file)
    }
  })()
  const person = { ...defaultSettings().defaults, password: 'x', lockPassword: false, rules: [] }
  for (let n = 0; n < 50; n++)
    await store.transaction((tx) => addUser(tx, { ...person, username: `user${n}` }))
  isWriting = false
  await removing
  expect(store.all(USERS)).toHaveLength(50)
  await store.close()
  expect((await readdir(tree.base)).sort()).toEqual(['fb.db', 'fb.db.bak', 'outside', 'root'])
})
