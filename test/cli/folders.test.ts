import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'

let cwd: string
const cli = (...words: string[]) => runCli(words, { cwd })
const listed = async () => (await cli('folders', 'ls')).stdout

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-folders-'))
  await cli('config', 'init', '--root', cwd)
  await cli('users', 'add', 'mona', 'Correct-Horse-9-Battery', '--perm.admin')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('folders set says what flags say and leaves the rest', async () => {
  await cli('folders', 'set', '/docs/', '--grant', 'everyone -create -delete', '--quota', '1kB')
  await cli('folders', 'set', '/docs', '--grant', 'user:mona create', '--as', 'Docs')
  expect(await listed()).toMatch(
    /^\/docs +Docs +1000 +everyone -create -delete, user:mona create$/m,
  )
})

test('folders set forgets whom it names without a verb, and ends no record', async () => {
  await cli('folders', 'set', '/docs', '--grant', 'everyone -create', '--grant', 'user:1 create')
  await cli('folders', 'set', '/docs', '--grant', 'everyone')
  expect(await listed()).toMatch(/^\/docs +- +- +user:mona create$/m)
  expect((await cli('folders', 'set', '/docs', '--grant', 'user:mona')).code).toBe(1)
  expect(await listed()).toContain('user:mona create')
})

test.each([
  ['a verb that is none', ['/docs', '--grant', 'everyone write']],
  ['an account that is not there', ['/docs', '--grant', 'user:ben see']],
  ['no place', ['docs', '--grant', 'everyone see']],
  ['nothing', ['/docs']],
])('folders set refuses %s', async (_, words) => {
  const { code, stderr } = await cli('folders', 'set', ...words)
  expect(code).toBe(1)
  expect(stderr).toContain('Error: ')
  expect(await listed()).not.toContain('docs')
})

test('folders rm removes what is said, once', async () => {
  await cli('folders', 'set', '/docs', '--grant', 'everyone -create')
  expect((await cli('folders', 'rm', '/docs/')).code).toBe(0)
  expect((await cli('folders', 'rm', '/docs')).code).toBe(1)
})

test('folders export and import go by names', async () => {
  await cli('folders', 'set', '/docs', '--grant', 'user:mona -create', '--grant', 'everyone -see')
  const before = await listed()
  await cli('folders', 'export', 'folders.json')
  expect(await readFile(join(cwd, 'folders.json'), 'utf8')).toContain('"user:mona"')
  expect((await cli('folders', 'import', 'folders.json')).code).toBe(1)
  expect((await cli('folders', 'import', 'folders.json', '--overwrite')).code).toBe(0)
  await cli('folders', 'rm', '/docs')
  expect((await cli('folders', 'import', 'folders.json')).code).toBe(0)
  expect(await listed()).toBe(before)
})

test('folders import takes all of a file or nothing', async () => {
  const good = { place: '/a', as: '', quota: 1, grants: [] }
  const bad = { place: '/b', as: '', quota: null, grants: [{ who: 'user:ben', see: true }] }
  await writeFile(join(cwd, 'f.json'), JSON.stringify({ folders: [good, bad] }))
  const { code, stderr } = await cli('folders', 'import', 'f.json')
  expect(code).toBe(1)
  expect(stderr).toContain('there is no user ben')
  expect(await listed()).not.toContain('/a')
})

test('access explain names what decided', async () => {
  await cli('folders', 'set', '/docs', '--grant', 'everyone -create', '--grant', 'user:mona rename')
  const { stdout } = await cli('access', 'explain', 'mona', '/docs/a')
  expect(stdout).toMatch(/^create +no +said of everyone at \/docs$/m)
  expect(stdout).toMatch(/^rename +yes +said of the account at \/docs$/m)
  expect(stdout).toMatch(/^delete +yes +permissions of the account and its groups$/m)
  const json = await cli('access', 'explain', 'mona', '/docs', '--json')
  expect(JSON.parse(json.stdout).verbs.create.allowed).toBe(false)
})
