import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'
import { keepInTrash } from '../support/trash.ts'

let cwd: string
const cli = (...words: string[]) => runCli(['trash', ...words], { cwd })
const DAY_MS = 86_400_000
const [OLD, NEW] = ['a'.repeat(32), 'b'.repeat(32)]

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-trash-'))
  await mkdir(join(cwd, 'srv'))
  await runCli(['config', 'init', '--root', join(cwd, 'srv')], { cwd })
  await runCli(['users', 'add', 'mona', 'Correct-Horse-9-Battery'], { cwd })
  const deletedAt = Date.now() - 8 * DAY_MS
  await keepInTrash(join(cwd, 'srv'), 'docs/old.txt', 'old', { id: OLD, userID: 1, deletedAt })
  await keepInTrash(join(cwd, 'srv'), 'new.txt', 'n', { id: NEW, userID: 9 })
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('lists what was deleted, the newest first, with who did', async () => {
  expect(JSON.parse((await cli('ls', '--json')).stdout)).toMatchObject([
    { id: NEW, path: join(cwd, 'srv/new.txt'), isDir: false, size: 1, by: null },
    { id: OLD, path: join(cwd, 'srv/docs/old.txt'), size: 3, by: 'mona' },
  ])
  expect((await cli('ls')).stdout.split('\n')[2]).toMatch(
    /^a{32} .* mona +3 +\/.*\/docs\/old\.txt$/,
  )
})

test('brings back to where it was, or into a folder, and replaces nothing', async () => {
  expect((await cli('restore', OLD)).code).toBe(0)
  expect(await readFile(join(cwd, 'srv/docs/old.txt'), 'utf8')).toBe('old')
  await writeFile(join(cwd, 'srv/new.txt'), 'newer')
  expect((await cli('restore', NEW)).code).not.toBe(0)
  expect(await readFile(join(cwd, 'srv/new.txt'), 'utf8')).toBe('newer')
  expect((await cli('restore', '--to', 'srv/else', NEW)).code).toBe(0)
  expect(await readFile(join(cwd, 'srv/else/new.txt'), 'utf8')).toBe('n')
  expect((await cli('restore', NEW)).code).not.toBe(0)
})

test('deletes for good what is old enough, and leaves no empty folder', async () => {
  expect(JSON.parse((await cli('empty', '--olderThan', '7d', '--json')).stdout)).toMatchObject([
    { id: OLD },
  ])
  expect(JSON.parse((await cli('ls', '--json')).stdout)).toMatchObject([{ id: NEW }])
  await cli('empty')
  expect(existsSync(join(cwd, 'srv/.fb-trash'))).toBe(false)
})
