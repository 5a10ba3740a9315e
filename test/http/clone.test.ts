// Copies on disks whose files can share blocks.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, readFile, stat, statfs, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { FILE_SYSTEMS } from '../support/file-systems.ts'
import { runToEnd } from '../support/jobs.ts'

const MIB = 1024 * 1024
const CONTENT = Buffer.concat([randomBytes(5 * MIB), Buffer.from('and no whole block')])

const CLONING = FILE_SYSTEMS.filter(({ name }) => /btrfs|xfs/.test(name))

describe.each(CLONING)('on $name', ({ make, why }) => {
  test('a copy takes no room, and is its own', async ({ skip }) => {
    if (why) skip(why)
    await using app = await openApp({ tree: { 'disk/': null } })
    const fill = async (folder: string) => {
      await writeFile(join(folder, 'a.bin'), CONTENT)
      await chmod(join(folder, 'a.bin'), 0o2640)
    }
    await using made = await make(app.tree.at('disk'), app.tree.base, fill)
    const path = `/${relative(app.tree.root, made.folder)}`
    const freeBytes = async () => {
      execFileSync('sync', ['-f', made.folder])
      const { bavail, bsize } = await statfs(made.folder)
      return bavail * bsize
    }
    const before = await freeBytes()
    const admin = await app.as('admin')
    const body = { kind: 'copy', items: [`${path}/a.bin`], to: path, conflict: 'rename' }
    const job = await runToEnd(admin, body)
    expect(job).toMatchObject({ state: 'done', bytesDone: CONTENT.length })
    const [source, copy] = [join(made.folder, 'a.bin'), join(made.folder, 'a(1).bin')]
    expect(await readFile(copy)).toEqual(CONTENT)
    expect((await stat(copy)).mode & 0o7777).toBe(0o640)
    expect(before - (await freeBytes())).toBeLessThan(3 * MIB)
    await writeFile(copy, 'other', { flag: 'r+' })
    expect((await readFile(source)).equals(CONTENT)).toBe(true)
  })
})
