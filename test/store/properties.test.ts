import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { folderOfKept } from '../../src/keep/stores.ts'
import {
  createProperties,
  createPropertyFile,
  MAX_ALL_BYTES,
} from '../../src/store/dav/properties.ts'

let folder: string
const log = { error: (message: string) => expect.unreachable(message) }
let opened: ReturnType<typeof createProperties>[]
/** Closed before the folder is removed: a store writes once more as it closes. */
const open = (folderOf?: (realPath: string) => string) => {
  const properties = createProperties(createPropertyFile(join(folder, 'x.db'), log, folderOf))
  opened.push(properties)
  return properties
}
const note = (value: string | null) => new Map([['{urn:n}note', value]])

beforeEach(async () => {
  opened = []
  folder = await mkdtemp(join(tmpdir(), 'filebrowser-properties-'))
})
afterEach(async () => {
  for (const properties of opened) await properties.close()
  await rm(folder, { recursive: true, force: true })
})

it('are there again after a restart, but for files that are gone', async () => {
  await writeFile(join(folder, 'a'), '')
  const first = open()
  await first.change(join(folder, 'a'), note('1'))
  await first.change(join(folder, 'gone'), note('2'))
  await first.change('/no such disk/b', note('3'))
  await first.close()
  const paths = [...(await open().all()).keys()]
  expect(paths).toEqual([join(folder, 'a'), '/no such disk/b'])
})

it('of what was in a trash that is gone are gone', async () => {
  const first = open()
  await first.change(join(folder, '.fb-trash/files/x/a'), note('1'))
  await first.close()
  expect([...(await open(folderOfKept).all()).keys()]).toEqual([])
})

it('move with a folder, and leave nothing of what was there', async () => {
  const properties = open()
  await properties.change('/a/x', note('1'))
  await properties.change('/ab', note('2'))
  await properties.change('/b/old', note('3'))
  await properties.moved('/a', '/b')
  expect([...(await properties.all()).keys()].sort()).toEqual(['/ab', '/b/x'])
  await properties.copied('/b', '/c', true)
  await properties.copied('/b', '/d', false)
  await properties.gone('/b', '/none')
  expect([...(await properties.all()).keys()].sort()).toEqual(['/ab', '/c/x'])
})

it('stay within their limit for all', async () => {
  const properties = open()
  const large = note('x'.repeat(60_000))
  const most = Math.floor(MAX_ALL_BYTES / 60_100)
  for (let i = 0; i < most; i++) await properties.change(`/${i}`, large)
  await expect(properties.change('/one more', large)).rejects.toMatchObject({ code: 'no_space' })
  await properties.copied('/1', '/copy', true)
  expect(await properties.of('/copy')).toBeUndefined()
  await properties.change('/1', note(null))
  await properties.change('/one more', large)
})

it('a damaged file is as good as none', async () => {
  await writeFile(join(folder, 'x.db.properties'), '{"a')
  expect((await open().all()).size).toBe(0)
  expect(await readFile(join(folder, 'x.db.properties'), 'utf8')).toBe('{"a')
})

it('are read again after a read that failed', async () => {
  const file = join(folder, 'x.db.properties')
  await mkdir(file)
  const properties = open()
  await expect(properties.of(folder)).rejects.toMatchObject({ code: 'EISDIR' })
  await rmdir(file)
  expect(await properties.of(folder)).toBeUndefined()
})
