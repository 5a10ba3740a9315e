import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderAdvice, ownerAdvice } from '../../src/store/folder-access.ts'
import { makeTree } from '../support/tree.ts'

const USER = { uid: 1234, gid: 5678 }

describe('the advice for a database folder that cannot be written', () => {
  test('a folder that holds only the database may be handed over, itself alone', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'database')
    await mkdir(folder)
    for (const name of ['fb.db', 'fb.db.json', 'fb.db.json.bak', 'fb.db.lock', 'lost+found']) {
      await writeFile(join(folder, name), '')
    }
    const { uid, gid } = await stat(folder)
    expect(await folderAdvice(join(folder, 'fb.db'), USER)).toBe(
      `${folder} belongs to uid ${uid} gid ${gid}, and uid 1234 must be able to write it; ` +
        `run: chown 1234:5678 ${folder}`,
    )
  })

  test('a database that is there is to be copied along, with what lies beside it', async () => {
    await using tree = await makeTree({ 'fb.db': 'old', other: '' })
    expect(await folderAdvice(tree.at('fb.db'), USER)).toMatch(
      new RegExp(
        `run: mkdir -p ${tree.at('filebrowser')} && cp -p ${tree.at('fb.db')}\\* ` +
          `${tree.at('filebrowser')}/ && chown -R 1234:5678 ${tree.at('filebrowser')}, ` +
          `and start with -d ${tree.at('filebrowser/fb.db')}$`,
      ),
    )
  })

  test('a database of another user is named with that user, and the command that gives it away', async () => {
    await using tree = await makeTree({ 'fb.db': '' })
    const { uid, gid } = await stat(tree.at('fb.db'))
    expect(await ownerAdvice(tree.at('fb.db'), USER)).toBe(
      `. It belongs to uid ${uid} gid ${gid}: run this as that user, or let uid 1234 have it: ` +
        `chown 1234:5678 ${tree.at('fb.db')}`,
    )
    expect(await ownerAdvice(tree.at('none.db'), USER)).toBe('')
  })

  test('a missing folder is to be made, and its parents stay as they are', async () => {
    await using tree = await makeTree({})
    const folder = join(tree.base, 'new', 'deep')
    const advice = await folderAdvice(join(folder, 'fb.db'), USER)
    expect(advice).toMatch(new RegExp(`run: mkdir -p ${folder} && chown 1234:5678 ${folder}$`))
  })

  test('a folder of other things, like /etc, is never given away', async () => {
    for (const file of ['/etc/filebrowser.db', '/filebrowser.db']) {
      const advice = await folderAdvice(file, USER)
      expect(advice).toContain('mkdir -p')
      expect(advice).not.toMatch(/chown (-R )?\d+:\d+ \/(etc)?(\s|,|$)/)
      expect(advice).toContain('/filebrowser/filebrowser.db')
    }
  })
})
