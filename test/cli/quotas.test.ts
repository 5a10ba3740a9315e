import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeUsage } from '../../src/quotas/usage-file.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { openDatabase } from '../../src/store/open-database.ts'
import { runCli } from '../support/cli.ts'

let cwd: string
const cli = (...words: string[]) => runCli(words, { cwd })

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'filebrowser-quotas-'))
  await mkdir(join(cwd, 'srv/mona'), { recursive: true })
  await writeFile(join(cwd, 'srv/mona/a.txt'), '12345')
  await cli('config', 'init', '--root', join(cwd, 'srv'))
  await cli('users', 'add', 'mona', 'Correct-Horse-9-Battery', '--scope', '/mona')
  const { store } = await openDatabase(join(cwd, 'filebrowser.db'), { notice: () => {} })
  await store.transaction((tx) => setHome(tx, { userID: 1, home: true, homeQuota: 1000 }))
  await store.close()
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('lists limits with what the server wrote down', async () => {
  const folder = join(cwd, 'srv/mona')
  expect((await cli('quotas', 'ls')).stdout).toBe(
    'Limit  Used  Reserved  Of            Folder\n' +
      `1000   -     0         home of mona  ${folder}\n`,
  )
  const figures = { usedBytes: 3, reservedBytes: 2, identity: '', dueMs: 0 }
  const folders = new Map([[folder, figures]])
  await writeUsage(join(cwd, 'filebrowser.db'), { isClean: true, folders })
  expect(JSON.parse((await cli('quotas', 'ls', '--json')).stdout)).toEqual([
    { user: 'mona', folder, limit: 1000, used: 3, reserved: 2 },
  ])
})

test('counts anew, and leaves it to a running server to do the same', async () => {
  const folders = new Map()
  await writeUsage(join(cwd, 'filebrowser.db'), { isClean: true, folders })
  expect(JSON.parse((await cli('quotas', 'recount', '--json')).stdout)).toMatchObject([{ used: 5 }])
  await expect(access(join(cwd, 'filebrowser.db.usage'))).rejects.toMatchObject({ code: 'ENOENT' })
})
