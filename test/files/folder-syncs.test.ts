import { expect, it } from 'vitest'
import { createFolderSyncs } from '../../src/files/disks/folder-syncs.ts'
import { makeTree } from '../support/tree.ts'

/** Syncs that end when they are told to. */
function controlled() {
  const begun: { ref: string; end: (error?: Error) => void }[] = []
  const sync = (ref: string) =>
    new Promise<void>((resolve, reject) => {
      begun.push({ ref, end: (error) => (error ? reject(error) : resolve()) })
    })
  return { begun, syncOnce: createFolderSyncs(sync) }
}

async function settled(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise.then(() => true), new Promise((next) => setImmediate(next, false))])
}

it('who waits for a folder waits for a sync that began after the call, and shares it', async () => {
  await using tree = await makeTree({ a: null, b: null })
  const { begun, syncOnce } = controlled()
  const first = syncOnce(tree.at('a'))
  const later = [syncOnce(tree.at('a')), syncOnce(tree.at('a')), syncOnce(tree.at('a'))]
  const other = syncOnce(tree.at('b'))
  expect(begun.map(({ ref }) => ref)).toEqual([tree.at('a'), tree.at('b')])
  begun[1]?.end()
  await other
  begun[0]?.end()
  await first
  expect(await settled(later[0] as Promise<void>)).toBe(false)
  expect(begun).toHaveLength(3)
  const last = syncOnce(tree.at('a'))
  begun[2]?.end()
  await Promise.all(later)
  expect(await settled(last)).toBe(false)
  expect(begun).toHaveLength(4)
  begun[3]?.end()
  await last
})

it('a failed sync fails for those who waited for it, and the next one is tried', async () => {
  await using tree = await makeTree({})
  const { begun, syncOnce } = controlled()
  const first = syncOnce(tree.root)
  const second = syncOnce(tree.root)
  begun[0]?.end(new Error('EIO'))
  await expect(first).rejects.toThrow('EIO')
  await settled(second)
  begun[1]?.end()
  await second
  const third = syncOnce(tree.root)
  begun[2]?.end()
  await third
})
