// Removing a tree: all of it, nothing beside it, and others get their turn meanwhile.
import { mkdirSync, readdirSync } from 'node:fs'
import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createScope } from '../../src/files/scope.ts'
import { toVPath } from '../../src/files/vpath.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const vpath = (text: string) => toVPath(text) ?? expect.unreachable(text)

function remove(tree: Tree, signal = new AbortController().signal): Promise<void> {
  const scope = createScope({
    root: tree.root,
    allow: () => true,
    followExternalSymlinks: false,
    fileMode: 0o640,
    dirMode: 0o750,
  })
  return scope.remove(vpath('/gone'), signal)
}

it('removes names of every kind, large files, and links but nothing behind them', async () => {
  await using tree = await makeTree({
    'gone/a.txt': 'a',
    'gone/sub/deep/b.txt': 'b',
    'gone/sub/out': { link: '../../kept' },
    'gone/nowhere': { link: 'missing' },
    'kept/c.txt': 'c',
  })
  await writeFile(Buffer.concat([Buffer.from(`${tree.at('gone')}/`), Buffer.from([0xe4])]), '')
  await mkdir(Buffer.concat([Buffer.from(`${tree.at('gone/sub')}/`), Buffer.from([0xe4])]))
  await writeFile(tree.at('gone/\ufffd'), '')
  await writeFile(tree.at('gone/large.bin'), new Uint8Array(3 * 1024 * 1024))
  await writeFile(tree.at('gone/sparse.bin'), '')
  await truncate(tree.at('gone/sparse.bin'), 2 ** 33)
  await remove(tree)
  expect(await readdir(tree.root)).toEqual(['kept'])
  expect(await tree.read('kept/c.txt')).toBe('c')
})

it('lets others work meanwhile, and stops when it is cancelled', async () => {
  await using tree = await makeTree({ 'gone/first': '' })
  // Empty folders are what takes no way through the pool at all.
  for (let n = 0; n < 3_000; n++) mkdirSync(tree.at(`gone/d${n}`))
  const controller = new AbortController()
  let running = true
  const watch = () => {
    if (readdirSync(tree.at('gone')).length <= 3_000) controller.abort(new Error('enough'))
    else if (running) setImmediate(watch)
  }
  setImmediate(watch)
  await expect(remove(tree, controller.signal)).rejects.toThrow()
  running = false
  expect(controller.signal.aborted).toBe(true)
  expect(readdirSync(tree.at('gone')).length).toBeGreaterThan(0)
})
