// The trash across mounts: an entry stays on its disk, and where nothing works all is in its place.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  lstat,
  lutimes,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { OVERLAY } from '../support/file-systems.ts'
import { MAY_MOUNT, mountDisk, mountFile, mountFolder } from '../support/mounts.ts'
import { type Setup, setUp } from '../support/operations.ts'

const LONG_AGO = new Date('2001-02-03T04:05:06.700Z')
/** A name that is not UTF-8. */
const NO_TEXT = Buffer.from('x\xe4', 'latin1')
const HAS_TRASH_CLI = spawnSync('trash-restore', ['--version']).status === 0

async function put({ services, tree }: Setup, path: string) {
  const realPath = tree.at(path)
  const folder = await services.volume.openFolder(dirname(realPath))
  const place = { folder, name: basename(realPath), realPath }
  return services.trash.put(place, { userID: 1, operation: null }).finally(folder.close)
}

describe.runIf(MAY_MOUNT)('what is deleted', () => {
  test('on a disk below stays on that disk', async () => {
    await using setup = await setUp({ 'a/b': null })
    await using _ = await mountDisk(setup.tree.at('a/disk'), 1_000_000)
    await setup.tree.add({ 'a/disk/x/y.txt': 'y' })
    const entry = await put(setup, 'a/disk/x/y.txt')
    expect(entry).toMatchObject({ store: setup.tree.at('a/disk/.fb-trash'), path: 'x/y.txt' })
    expect(await setup.services.trash.entries()).toEqual([entry])
  })

  test('on a bind mount of the same disk, where only the kernel knows of it, stays there', async () => {
    await using setup = await setUp({ 'a/b': null })
    await mkdir(join(setup.tree.base, 'other'))
    await using _ = await mountFolder(join(setup.tree.base, 'other'), setup.tree.at('a/bound'))
    await setup.tree.add({ 'a/bound/x.txt': 'x' })
    expect(await put(setup, 'a/bound/x.txt')).toMatchObject({ path: 'x.txt' })
    expect(await readdir(setup.tree.at('a/bound'))).toEqual(['.fb-trash'])
  })

  test('stays where it is when it is a mount or holds one', async () => {
    await using setup = await setUp({ 'a/b.txt': 'b', source: 'file' })
    await using _disk = await mountDisk(setup.tree.at('a/disk'), 1_000_000)
    await using _file = await mountFile(setup.tree.at('source'), setup.tree.at('bound.txt'))
    await setup.tree.add({ 'a/disk/precious.txt': 'precious' })
    for (const path of ['a', 'a/disk', 'bound.txt'])
      await expect(put(setup, path)).rejects.toMatchObject({ code: 'locked' })
    expect(await setup.tree.read('a/disk/precious.txt')).toBe('precious')
    expect(await readdir(setup.tree.root)).toEqual(['a', 'bound.txt', 'source'])
  })

  test('on a full disk goes by its rename, or stays', async () => {
    await using setup = await setUp({ 'a/b': null })
    await using _ = await mountDisk(setup.tree.at('disk'), 65_536)
    await setup.tree.add({ 'disk/x.txt': 'x', 'disk/y.txt': 'y' })
    await put(setup, 'disk/y.txt')
    const fill = writeFile(setup.tree.at('disk/full'), Buffer.alloc(100_000))
    await expect(fill).rejects.toMatchObject({ code: 'ENOSPC' })
    await put(setup, 'disk/x.txt').catch(() => {})
    const kept = (await setup.services.trash.entries()).map(({ path }) => path)
    const left = (await readdir(setup.tree.at('disk'))).includes('x.txt')
    expect(kept.includes('x.txt')).toBe(!left)
  })

  test('from a lower layer, which cannot be renamed, is copied whole', async () => {
    await using setup = await setUp({ over: null })
    const over = setup.tree.at('over')
    await using made = await OVERLAY.make(over, setup.tree.base, async (folder) => {
      await mkdir(join(folder, 'e'))
      await writeFile(join(folder, 'e/x.txt'), 'x', { mode: 0o640 })
      await symlink('e/x.txt', join(folder, 'link'))
      await writeFile(Buffer.concat([Buffer.from(`${folder}/`), NO_TEXT]), 'raw')
      await lutimes(join(folder, 'link'), LONG_AGO, LONG_AGO)
      await utimes(join(folder, 'e'), LONG_AGO, LONG_AGO)
    })
    const entry = await put(setup, relative(setup.tree.root, made.folder))
    const kept = join(entry.store, 'files', entry.name)
    expect(await readFile(join(kept, 'e/x.txt'), 'utf8')).toBe('x')
    expect((await stat(join(kept, 'e/x.txt'))).mode & 0o777).toBe(0o640)
    expect(await readlink(join(kept, 'link'))).toBe('e/x.txt')
    expect(await readFile(Buffer.concat([Buffer.from(`${kept}/`), NO_TEXT]), 'utf8')).toBe('raw')
    for (const name of ['e', 'link'])
      expect((await lstat(join(kept, name))).mtime).toEqual(LONG_AGO)
    expect(await readdir(over)).toEqual(['.fb-trash'])
  })

  test('from a lower layer stays whole when something in it is no file, link or folder', async () => {
    await using setup = await setUp({ over: null })
    await using made = await OVERLAY.make(
      setup.tree.at('over'),
      setup.tree.base,
      async (folder) => {
        await writeFile(join(folder, 'x.txt'), 'x')
        execFileSync('mkfifo', [join(folder, 'pipe')])
      },
    )
    const path = relative(setup.tree.root, made.folder)
    await expect(put(setup, path)).rejects.toMatchObject({ code: 'unsupported' })
    expect((await readdir(made.folder)).sort()).toEqual(['pipe', 'x.txt'])
    expect(await readdir(setup.tree.at('over'))).toEqual(['in'])
  })

  test('is no alias of the trash by another mount', async () => {
    await using setup = await setUp({ 'a.txt': 'a' })
    const { store } = await put(setup, 'a.txt')
    await using _ = await mountFolder(join(store, 'files'), setup.tree.at('alias'))
    const list = () => setup.actor().scope.list('/alias' as never)
    await vi.waitFor(() => expect(list()).rejects.toMatchObject({ code: 'not_found' }))
  })

  test.runIf(HAS_TRASH_CLI)(
    'is brought back by trash-cli once the trash has the standard name',
    async () => {
      await using setup = await setUp({})
      await using _ = await mountDisk(setup.tree.at('disk'), 1_000_000)
      await setup.tree.add({ 'disk/docs/Bericht ü%.txt': 'whole', 'disk/other.txt': '' })
      const { store } = await put(setup, 'disk/docs')
      const disk = setup.tree.at('disk')
      await rename(store, join(disk, `.Trash-${process.getuid?.()}`))
      execFileSync('trash-restore', [], { cwd: disk, input: '0\n', stdio: 'pipe' })
      expect(await readFile(join(disk, 'docs/Bericht ü%.txt'), 'utf8')).toBe('whole')
    },
  )
})
