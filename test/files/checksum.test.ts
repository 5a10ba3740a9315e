import { createHash, randomBytes } from 'node:crypto'
import { open, truncate, writeFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { CHECKSUM_ALGORITHMS, checksum } from '../../src/files/checksum.ts'
import { createScope, type OpenFile } from '../../src/files/scope.ts'
import { toVPath } from '../../src/files/vpath.ts'
import { withDeadline } from '../support/deadline.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const MIB = 1024 * 1024
const forever = new AbortController().signal

function openIn(tree: Tree, name: string): Promise<OpenFile> {
  const scope = createScope({
    root: tree.root,
    allow: () => true,
    followExternalSymlinks: false,
    fileMode: 0o640,
    dirMode: 0o750,
  })
  return scope.openRead(toVPath(`/${name}`) as never)
}

/** A file of zeros that takes no room on the disk. */
async function sparse(tree: Tree, name: string, bytes: number): Promise<void> {
  await writeFile(tree.at(name), '')
  await truncate(tree.at(name), bytes)
}

describe('checksums', () => {
  it.each(CHECKSUM_ALGORITHMS)('by %s are right for small, large and empty files', async (name) => {
    await using tree = await makeTree({})
    for (const bytes of [0, 5, MIB, MIB + 1, 3 * MIB + 7]) {
      const content = randomBytes(bytes)
      await writeFile(tree.at('file.bin'), content)
      const file = await openIn(tree, 'file.bin')
      const digest = await checksum(file, name, forever)
      await file.handle.close()
      expect(digest).toBe(createHash(name).update(content).digest('hex'))
    }
  })

  it('of a large file leave the main thread to the others', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'large.bin', 512 * MIB)
    const file = await openIn(tree, 'large.bin')
    const before = performance.eventLoopUtilization()
    await checksum(file, 'sha512', forever)
    const { utilization } = performance.eventLoopUtilization(before)
    await file.handle.close()
    // On the main thread it was above 0.9.
    expect(utilization).toBeLessThan(0.4)
  })

  it('end when the client goes, also for those who wait for their turn', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'huge.bin', 512 * 1024 * MIB)
    const files = await Promise.all([1, 2, 3, 4].map(() => openIn(tree, 'huge.bin')))
    const gone = new AbortController()
    const hashing = files.map((file) => checksum(file, 'sha512', gone.signal))
    const ended = Promise.allSettled(hashing)
    // Two have a thread by then.
    await new Promise((resolve) => setImmediate(resolve))
    gone.abort(new Error('the client has gone'))
    const results = await withDeadline('the end of the work', 10_000, ended)
    for (const result of results)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: 'the client has gone' },
      })
    for (const { handle } of files) await handle.close()
    // All places are free again.
    await writeFile(tree.at('next.bin'), Buffer.alloc(2 * MIB))
    const next = await openIn(tree, 'next.bin')
    await withDeadline('the next file', 10_000, checksum(next, 'md5', forever))
    await next.handle.close()
  })

  it('are not begun for a client that has gone already', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'huge.bin', 512 * 1024 * MIB)
    const file = await openIn(tree, 'huge.bin')
    const gone = new AbortController()
    const hashing = checksum(file, 'md5', gone.signal)
    gone.abort(new Error('the client has gone'))
    await expect(withDeadline('the end', 10_000, hashing)).rejects.toThrow('the client has gone')
    await file.handle.close()
  })

  it('fail like the reading does', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'a.bin', 2 * MIB)
    const writeOnly = await open(tree.at('a.bin'), 'a')
    const file = { ...(await openIn(tree, 'a.bin')) }
    await file.handle.close()
    await expect(checksum({ ...file, handle: writeOnly }, 'md5', forever)).rejects.toThrow('EBADF')
    await writeOnly.close()
  })
})
