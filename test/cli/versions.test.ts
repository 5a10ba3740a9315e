import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'

const ID = '20261101T101500000Z-1'
let cwd: string
const cli = (...words: string[]) => runCli(['versions', ...words], { cwd })

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-versions-'))
  const kept = join(cwd, 'srv/.fb-versions/docs/a.txt')
  await mkdir(kept, { recursive: true, mode: 0o700 })
  await mkdir(join(cwd, 'srv/docs'))
  await writeFile(join(kept, ID), 'old')
  await writeFile(join(cwd, 'srv/docs/a.txt'), 'present')
  await runCli(['config', 'init', '--root', join(cwd, 'srv')], { cwd })
  await runCli(['users', 'add', 'mona', 'Correct-Horse-9-Battery'], { cwd })
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('lists the versions of a file, with who replaced it', async () => {
  expect(JSON.parse((await cli('ls', 'srv/docs/a.txt', '--json')).stdout)).toMatchObject([
    { id: ID, size: 3, by: 'mona', keep: false, replacedAt: '2026-11-01T10:15:00.000Z' },
  ])
  expect((await cli('ls', 'srv/docs/a.txt')).stdout.split('\n')[1]).toMatch(/ mona +3 +-$/)
})

test('gives a file the content of a version, and keeps what is there', async () => {
  expect((await cli('restore', 'srv/docs/a.txt', ID)).code).toBe(0)
  expect(await readFile(join(cwd, 'srv/docs/a.txt'), 'utf8')).toBe('old')
  const listed = JSON.parse((await cli('ls', 'srv/docs/a.txt', '--json')).stdout)
  expect(listed).toMatchObject([{ size: 7, by: null }, { id: ID }])
})

test('brings back a file that is gone, and knows no version of another', async () => {
  await rm(join(cwd, 'srv/docs/a.txt'))
  expect((await cli('restore', 'srv/docs/b.txt', ID)).code).not.toBe(0)
  expect((await cli('restore', 'srv/docs/a.txt', ID)).code).toBe(0)
  expect(await readFile(join(cwd, 'srv/docs/a.txt'), 'utf8')).toBe('old')
})

test('lists files that are gone but have versions, and deletes those for good', async () => {
  expect(JSON.parse((await cli('ls', '--json')).stdout)).toEqual([])
  await rm(join(cwd, 'srv/docs'), { recursive: true })
  expect(JSON.parse((await cli('ls', '--json')).stdout)).toEqual([
    {
      path: join(cwd, 'srv/docs/a.txt'),
      versions: 1,
      size: 3,
      replacedAt: '2026-11-01T10:15:00.000Z',
    },
  ])
  expect((await cli('ls')).stdout.split('\n')[1]).toMatch(/ 1 +3 +\/.*\/docs\/a\.txt$/)
  expect((await cli('empty', 'srv/docs/a.txt')).code).toBe(0)
  expect(existsSync(join(cwd, 'srv/.fb-versions'))).toBe(false)
})
