import { createHash } from 'node:crypto'
import {
  chmod,
  chown,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SETTINGS, USERS } from '../../src/store/collections.ts'
import { defaultSettings, emptyDocument } from '../../src/store/document.ts'
import { replaceFile } from '../../src/store/durable-file.ts'
import { withFileLock } from '../../src/store/file-lock.ts'
import { type OpenOptions, openDatabase } from '../../src/store/open-database.ts'
import { changeRecords } from '../support/records.ts'

const SAMPLE = join(import.meta.dirname, '..', 'data', 'legacy', 'filebrowser.db')

let folder: string
let path: string
let said: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'filebrowser-open-'))
  path = join(folder, 'filebrowser.db')
  said = []
})

afterEach(() => rm(folder, { recursive: true, force: true }))

const create = async () => emptyDocument({ ...defaultSettings(), signup: true })
const notice = (message: string) => void said.push(message)

async function openAndClose(options: Partial<OpenOptions> = {}) {
  const opened = await openDatabase(path, { notice, ...options })
  await opened.store.close()
  return opened
}

const sha256 = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

describe('nothing at the path', () => {
  test('makes the database where the caller brings a first document, for its owner only', async () => {
    const opened = await openAndClose({ create })
    expect(opened).toMatchObject({ created: true, file: path })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await openAndClose()).store.settings().signup).toBe(true)
  })

  test.skipIf(process.getuid?.() !== 0)(
    'made by root it belongs to the owner of the folder, and every copy to the owner of the last',
    async () => {
      await chown(folder, 4321, 4322)
      const { store } = await openDatabase(path, { notice, create })
      expect(await stat(path)).toMatchObject({ uid: 4321, gid: 4322 })
      await chown(folder, 0, 0)
      await store.transaction((tx) => tx.nextId(USERS))
      await store.close()
      expect(await stat(path)).toMatchObject({ uid: 4321, gid: 4322 })
    },
  )

  test.skipIf(process.getuid?.() !== 0)(
    'what root imports belongs to the owner of the old database, its lock to that of the folder',
    async () => {
      await copyFile(SAMPLE, path)
      await chown(path, 4321, 4322)
      await openAndClose()
      expect(await stat(`${path}.json`)).toMatchObject({ uid: 4321, gid: 4322 })
      await chown(folder, 4323, 4324)
      const lock = join(folder, 'x.lock')
      await withFileLock(lock, async () => {
        expect(await stat(lock)).toMatchObject({ uid: 4323, gid: 4324 })
      })
    },
  )

  test.skipIf(process.getuid?.() !== 0)(
    'a lock that root made and has not given away yet is waited for',
    async () => {
      await chown(folder, 4321, 4322)
      const lock = join(folder, 'x.lock')
      await writeFile(lock, '', { mode: 0o600 })
      process.seteuid?.(4321)
      try {
        const locked = withFileLock(lock, async () => 'held')
        // It has been tried by then: the disk is asked in turn.
        const tried = Array.from({ length: 20 }).reduce<Promise<unknown>>(
          (before) => before.then(() => stat(lock)),
          Promise.resolve(),
        )
        await Promise.race([tried, locked])
        await unlink(lock)
        expect(await locked).toBe('held')
      } finally {
        process.seteuid?.(0)
      }
    },
  )

  test('a link is followed: the database is made and kept where it leads, with its backup', async () => {
    const real = join(folder, 'real')
    await mkdir(real)
    await symlink('real/there.db', path)
    expect(await openAndClose({ create })).toMatchObject({ created: true })
    const { store } = await openDatabase(path, { notice })
    await store.transaction((tx) => tx.nextId(USERS))
    await store.close()
    expect((await lstat(path)).isSymbolicLink()).toBe(true)
    expect((await readdir(folder)).sort()).toEqual(['filebrowser.db', 'real'])
    expect((await readdir(real)).sort()).toEqual(['there.db', 'there.db.bak'])
    expect(JSON.parse(await readFile(join(real, 'there.db'), 'utf8')).next.users).toBe(2)
    await rm(join(real, 'there.db'))
    await expect(openAndClose({ create })).rejects.toThrow('a copy of it is there')
  })

  test('an empty file counts as nothing', async () => {
    await writeFile(path, '')
    expect((await openAndClose({ create })).created).toBe(true)
  })

  test('makes a missing folder, with mode 0700', async () => {
    path = join(folder, 'new', 'db.json')
    await openAndClose({ create })
    expect((await stat(join(folder, 'new'))).mode & 0o777).toBe(0o700)
  })

  test('is an error for commands that need a database, and nothing is made', async () => {
    await expect(openAndClose()).rejects.toThrow(/no database at/)
    expect(await readdir(folder)).toEqual([])
  })

  test('two starts at once make one database', async () => {
    const both = await Promise.all([openAndClose({ create }), openAndClose({ create })])
    expect(both.filter(({ created }) => created)).toHaveLength(1)
    const keys = both.map(({ store }) => store.settings().key)
    expect(keys[0]).toBe(keys[1])
  })

  test('uses the database beside it when the old file was deleted after the move', async () => {
    await copyFile(SAMPLE, path)
    await openAndClose()
    await rm(path)
    const opened = await openAndClose({ create })
    expect(opened.created).toBe(false)
    expect(opened.store.all(USERS)).toHaveLength(4)
  })
})

describe('a lost database with its backup copy beside it', () => {
  // Two writes leave both the database and its copy.
  const makeWithCopy = async () => {
    const { store } = await openDatabase(path, { notice, create })
    await store.transaction((tx) => tx.replace(SETTINGS, { ...tx.settings(), signup: false }))
    await store.close()
    return readFile(`${path}.bak`)
  }

  test.each<[string, () => Promise<void>]>([
    ['missing', () => rm(path)],
    ['empty', () => writeFile(path, '')],
  ])('%s: nothing starts anew, and the copy stays', async (_, lose) => {
    const copy = await makeWithCopy()
    await lose()
    const before = await readdir(folder)
    for (const options of [{ create }, {}, { create, mustBeNew: true }]) {
      await expect(openAndClose(options)).rejects.toThrow(
        /cp -p .*\.bak .*filebrowser\.db\. To begin/,
      )
    }
    expect(await readdir(folder)).toEqual(before)
    expect(await readFile(`${path}.bak`)).toEqual(copy)
  })

  test('goes on when the copy was put in its place, and anew when it was moved away', async () => {
    await makeWithCopy()
    await copyFile(`${path}.bak`, path)
    expect((await openAndClose()).store.settings().signup).toBe(true)
    await rm(path)
    await rm(`${path}.bak`)
    expect((await openAndClose({ create })).created).toBe(true)
  })

  test('an old database is not imported a second time over it', async () => {
    await copyFile(SAMPLE, path)
    const { store } = await openDatabase(path, { notice })
    await changeRecords(store, ({ users }) => ({ users: users.slice(0, 1) }))
    await store.close()
    await rm(`${path}.json`)
    await expect(openAndClose({ create })).rejects.toThrow(/cp -p .*\.json\.bak/)
    expect(await readdir(folder)).toEqual(['filebrowser.db', 'filebrowser.db.json.bak'])
    await rename(path, `${path}.away`)
    await expect(openAndClose({ create })).rejects.toThrow(/cp -p .*\.json\.bak/)
    await rename(`${path}.away`, path)
    await rm(`${path}.json.bak`)
    expect((await openAndClose()).imported).not.toBeNull()
  })

  test('an emptied file is never kept as the copy', async () => {
    const copy = await makeWithCopy()
    await writeFile(path, '')
    await replaceFile(path, 'new')
    expect(await readFile(`${path}.bak`)).toEqual(copy)
  })
})

describe('a database of the old program', () => {
  test('is imported beside itself and stays byte for byte', async () => {
    await copyFile(SAMPLE, path)
    const before = await sha256(path)
    const opened = await openAndClose()
    expect(opened.file).toBe(`${path}.json`)
    expect(opened.store.all(USERS).map(({ username }) => username)).toContain('user2')
    expect(said.join('\n')).toContain('stays as it is')
    expect(await sha256(path)).toBe(before)
    expect((await stat(`${path}.json`)).mode & 0o777).toBe(0o600)
  })

  test('is imported once; later changes of ours are kept', async () => {
    await copyFile(SAMPLE, path)
    const first = await openDatabase(path, { notice })
    await changeRecords(first.store, ({ users }) => ({ users: users.slice(0, 1) }))
    await first.store.close()
    said = []
    const again = await openAndClose()
    expect(again.imported).toBeNull()
    expect(again.store.all(USERS)).toHaveLength(1)
    expect(said).toEqual([])
  })

  test('a later change by the old program is warned about, not imported', async () => {
    await copyFile(SAMPLE, path)
    await openAndClose()
    await chmod(path, 0o644)
    const bytes = await readFile(path)
    bytes[bytes.length - 1] = 1
    await writeFile(path, bytes)
    const opened = await openAndClose()
    expect(opened.imported).toBeNull()
    expect(said.join('\n')).toContain('changed after it was imported')
  })

  test('damaged: refused with a clear text, and nothing is written', async () => {
    const bytes = await readFile(SAMPLE)
    await writeFile(path, bytes.subarray(0, 9000))
    await expect(openAndClose({ create })).rejects.toThrow(/cannot import .*cut off at 9000 bytes/)
    expect(await readdir(folder)).toEqual(['filebrowser.db'])
    expect(await readFile(path)).toEqual(bytes.subarray(0, 9000))
  })
})

describe('anything else at the path', () => {
  const cases: [string, Buffer, RegExp][] = [
    ['an SQLite database', Buffer.from('SQLite format 3\0 and more'), /an SQLite database/],
    ['a gzip file', Buffer.from([0x1f, 0x8b, 8, 0]), /a gzip file/],
    ['some text', Buffer.from('hello world, not a database'), /text beginning with "hello world/],
    ['zero bytes', Buffer.alloc(40_000), /zero bytes only/],
    ['noise', Buffer.from('\x7f\x00\x01\x02\xff'.repeat(900), 'latin1'), /unknown kind/],
  ]
  for (const [name, bytes, text] of cases) {
    test(`${name} is named and not touched`, async () => {
      await writeFile(path, bytes)
      await expect(openAndClose({ create })).rejects.toThrow(text)
      expect(await readFile(path)).toEqual(bytes)
      expect(await readdir(folder)).toEqual(['filebrowser.db'])
    })
  }

  test('a folder is named', async () => {
    path = folder
    await expect(openAndClose({ create })).rejects.toThrow(/holds a folder/)
  })

  test('config init refuses whatever is there', async () => {
    await copyFile(SAMPLE, path)
    await expect(openAndClose({ create, mustBeNew: true })).rejects.toThrow(/exists at/)
    expect(await readdir(folder)).toEqual(['filebrowser.db'])
  })
})
