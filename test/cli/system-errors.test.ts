// What the system refuses ends a command with one line and exit code 1, never a stack trace.
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.ts'
import { withDeadline } from '../support/deadline.ts'
import { MAY_MOUNT, mountDisk, mountFile } from '../support/mounts.ts'

const SAMPLE = join(import.meta.dirname, '..', 'data', 'legacy', 'filebrowser.db')
let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-errno-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

async function refused(...words: string[]): Promise<string> {
  const { code, stderr } = await withDeadline('a refusal', 60_000, runCli(words, { cwd }))
  const errors = stderr.split('\n').slice(stderr.split('\n').findIndex((l) => /^Error: /.test(l)))
  expect(code, stderr).toBe(1)
  expect(errors, stderr).toEqual([expect.stringMatching(/^Error: /), ''])
  return errors[0] ?? ''
}

test('a log file that cannot be opened', async () => {
  await mkdir(join(cwd, 'folder'))
  expect(await refused('-r', '.', '-p', '0', '-l', 'folder')).toMatch(
    /cannot open the log file .*folder: EISDIR/,
  )
  await writeFile(join(cwd, 'file'), '')
  expect(await refused('-r', '.', '-p', '0', '-l', 'file/fb.log')).toContain('EEXIST')
})

test('docs into a place that is no folder', async () => {
  await writeFile(join(cwd, 'file'), '')
  expect(await refused('docs', '--out', 'file/pages')).toContain('ENOTDIR')
})

describe.skipIf(!MAY_MOUNT)('with mounts', () => {
  test('a full disk: nothing is half written and no lock stays', async () => {
    const disk = join(cwd, 'disk')
    await using _disk = await mountDisk(disk, 64 * 1024)
    const words = ['-d', 'disk/fb.db']
    expect((await runCli(['config', 'init', ...words], { cwd })).code).toBe(0)
    const before = await readFile(join(disk, 'fb.db'))
    await expect(writeFile(join(disk, 'filler'), Buffer.alloc(1 << 20))).rejects.toThrow(/ENOSPC/)
    expect(await refused('config', 'set', '--signup', ...words)).toContain('ENOSPC')
    expect(await readFile(join(disk, 'fb.db'))).toEqual(before)
    expect((await readdir(disk)).sort()).toEqual(['fb.db', 'fb.db.audit.jsonl', 'filler'])
  })

  test.each<[string, string]>([
    ['an empty', ''],
    ['our', 'made by us'],
  ])('%s database mounted as a single file', async (_, content) => {
    const source = join(cwd, 'outside')
    if (content === '') await writeFile(source, '')
    else await runCli(['config', 'init', '-d', source], { cwd })
    await mkdir(join(cwd, 'inside'))
    await using _file = await mountFile(source, join(cwd, 'inside', 'fb.db'))
    const words = content === '' ? ['init'] : ['set', '--signup']
    expect(await refused('config', ...words, '-d', 'inside/fb.db')).toMatch(
      /mounted as a single file \(EBUSY\); mount its folder/,
    )
    expect(await readdir(join(cwd, 'inside'))).toEqual(['fb.db'])
  })

  test('the import of an old database mounted as a single file says what is lost', async () => {
    const plain = join(cwd, 'plain.db')
    await copyFile(SAMPLE, plain)
    expect((await runCli(['users', 'ls', '-d', plain], { cwd })).stderr).not.toContain('mounted')
    await mkdir(join(cwd, 'in side'))
    await using _file = await mountFile(SAMPLE, join(cwd, 'in side', 'fb.db'))
    const { stderr, code } = await runCli(['users', 'ls', '-d', 'in side/fb.db'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /warning: .*in side\/fb\.db is mounted as a single file.*Mount the folder/,
    )
  })
})
