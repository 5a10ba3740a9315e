// A link swapped in between check and use (CVE-2026-54094, CVE-2026-55667, CVE-2026-55668,
// CVE-2026-73613): reads, writes and deletions through a folder that keeps changing into a link
// out of the scope must never reach what lies behind it.
import { renameSync, symlinkSync, unlinkSync } from 'node:fs'
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { reserve } from '../../src/operations/write.ts'
import { scopeOf } from '../support/scope.ts'
import { makeTree, SECRET, type Tree } from '../support/tree.ts'

const ROUNDS = 300

function unlessThere(error: NodeJS.ErrnoException): true {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error
  return true
}

/** Exchanges `root/dir` between a real folder and a link outside until told to stop. */
function keepSwapping(tree: Tree): { stop(): Promise<void> } {
  let going = true
  const real = tree.at('dir')
  const aside = join(tree.base, 'dir-aside')
  const loop = (async () => {
    while (going) {
      await rename(real, aside)
      // A folder that is made with its parents may be there first.
      await symlink(tree.outside, real).catch(unlessThere)
      await rm(real, { recursive: true })
      while (await rename(aside, real).catch(unlessThere)) await rm(real, { recursive: true })
      // The folder stands for a while, so that some uses begin before a swap and end after it.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  return {
    stop: async () => {
      going = false
      await loop
    },
  }
}

it.runIf(process.platform === 'linux')('never leaves the scope', async () => {
  await using tree = await makeTree({ 'dir/secret.txt': 'inside', 'dir/x/y.txt': 'y' })
  const scope = scopeOf(tree)
  const secret = '/dir/secret.txt' as never
  const swapping = keepSwapping(tree)
  let reads = 0
  let refused = 0
  try {
    for (let i = 0; i < ROUNDS; i++) {
      try {
        const file = await scope.openRead(secret)
        const text = (await file.handle.readFile()).toString()
        await file.handle.close()
        expect(text).toBe('inside')
        reads++
      } catch (error) {
        if ((error as Error).name !== 'AppError') throw error
        refused++
      }
      try {
        const temp = await scope.openTemp(`/dir/new-${i}.txt` as never)
        await temp.write([Buffer.from('x')], 0, { direct: true })
        await temp.commit({ replace: true })
        await scope.remove(`/dir/new-${i}.txt` as never, new AbortController().signal)
        await scope.makeFolder(`/dir/sub-${i}` as never)
        await scope.remove(`/dir/sub-${i}` as never, new AbortController().signal)
        await scope.rename('/dir/x' as never, '/dir/z' as never, { replace: true })
        await scope.rename('/dir/z' as never, '/dir/x' as never, { replace: true })
      } catch (error) {
        if ((error as Error).name !== 'AppError') throw error
      }
    }
  } finally {
    await swapping.stop()
  }
  // Nothing outside was read, made, renamed or removed.
  expect(await readdir(tree.outside)).toEqual(['secret.txt'])
  expect(await readFile(join(tree.outside, 'secret.txt'), 'utf8')).toBe(SECRET)
  // The race really happened both ways, otherwise this proves nothing.
  expect(reads).toBeGreaterThan(0)
  expect(refused).toBeGreaterThan(0)
})

it.runIf(process.platform === 'linux')('neither reads nor writes outside by copies', async () => {
  await using tree = await makeTree({ 'dir/secret.txt': 'inside', to: null })
  const scope = scopeOf(tree)
  const swapping = keepSwapping(tree)
  const options = { replace: true, signal: new AbortController().signal, reserve }
  const write = async (name: string) => {
    const into = await scope.openFolderToWrite('/dir' as never)
    const temp = await into.openTemp(name)
    await temp?.commit({ replace: true })
    await into.close()
  }
  const done = { read: 0, written: 0 }
  try {
    for (let i = 0; i < ROUNDS || done.read === 0 || done.written === 0; i++)
      for (const [what, work] of [
        ['read', () => copyTree(scope, '/dir' as never, '/to/dir' as never, options)],
        ['written', () => write(`new-${i}.txt`)],
      ] as const)
        try {
          await work()
          done[what]++
        } catch (error) {
          if ((error as Error).name !== 'AppError') throw error
        }
  } finally {
    await swapping.stop()
  }
  expect(await readdir(tree.outside)).toEqual(['secret.txt'])
  expect(done.read).toBeGreaterThan(0)
  expect(done.written).toBeGreaterThan(0)
  expect(await tree.read('to/dir/secret.txt')).toBe('inside')
})

it.runIf(process.platform === 'linux')(
  'changes no mode outside, whoever swaps a folder',
  async () => {
    await using tree = await makeTree({ dir: null })
    const scope = scopeOf(tree)
    await chmod(tree.outside, 0o700)
    const dir = tree.at('dir')
    const aside = join(tree.base, 'aside')
    const done = { set: 0, refused: 0 }
    // The swap comes a little later each time, so that some come between the look and the change: by turns of
    // the loop where the disk is asked through the pool, by shorter ones where it is asked directly.
    for (let n = 0; n < ROUNDS; n++) {
      const setting = scope.setMode('/dir' as never, 0o777).then(
        () => done.set++,
        (error: Error) => {
          if (error.name !== 'AppError') throw error
          done.refused++
        },
      )
      const isDirect = n % 2 === 0
      if (n % 30 === 0) await setting
      for (let turn = 0; turn < n % 15; turn++)
        await (isDirect ? null : new Promise((next) => setImmediate(next)))
      renameSync(dir, aside)
      symlinkSync(tree.outside, dir)
      await setting
      unlinkSync(dir)
      renameSync(aside, dir)
    }
    expect((await stat(tree.outside)).mode & 0o777).toBe(0o700)
    expect(done.set).toBeGreaterThan(0)
    expect(done.refused).toBeGreaterThan(0)
  },
)

it('does not delete through a link that stands where a folder was', async () => {
  await using tree = await makeTree({ 'dir/keep/a.txt': 'a' })
  await mkdir(join(tree.outside, 'precious'))
  await writeFile(join(tree.outside, 'precious', 'file.txt'), 'precious')
  await symlink(join(tree.outside, 'precious'), tree.at('dir/keep/link'))
  const scope = scopeOf(tree)
  await scope.remove('/dir' as never, new AbortController().signal)
  expect(await readFile(join(tree.outside, 'precious', 'file.txt'), 'utf8')).toBe('precious')
  expect(await readdir(tree.root)).toEqual([])
})
