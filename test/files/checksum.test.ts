import { createHash, randomBytes } from 'node:crypto'
import { open, stat, truncate, writeFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import {
  CHECKSUM_ALGORITHMS,
  createChecksum,
  type FileToHash,
} from '../../src/files/transfer/checksum.ts'
import type { ReadHandle } from '../../src/files/volume/read-handle.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { createThreads } from '../../src/programs/threads.ts'
import { openScope } from '../support/archives.ts'
import { leastOf } from '../support/cpu-time.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const MIB = 1024 * 1024
const checksum = createChecksum(createThreads())
const forever = new AbortController().signal
const me = { owner: 1, signal: forever }

/** The file as a route asks for it; `handles` gets what was opened. */
async function inTree(tree: Tree, name: string, handles: ReadHandle[] = []): Promise<FileToHash> {
  const open = async () => {
    const file = await openScope(tree.root).openRead(vpathOf(name))
    handles.push(file.handle)
    return file
  }
  return { sizeBytes: (await stat(tree.at(name))).size, open }
}

const isOpen = ({ fd }: ReadHandle) => fd >= 0

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
      const digest = await checksum(await inTree(tree, 'file.bin'), name, me)
      expect(digest).toBe(createHash(name).update(content).digest('hex'))
    }
  })

  it.each([5, 3 * MIB])('are right although the size is not (%i bytes)', async (bytes) => {
    await using tree = await makeTree({})
    const content = randomBytes(bytes)
    await writeFile(tree.at('file.bin'), content)
    const { open } = await inTree(tree, 'file.bin')
    const expected = createHash('md5').update(content).digest('hex')
    // As of files of /proc, and of those that grow.
    for (const sizeBytes of [0, 1, 2 * MIB]) {
      const openLying = async () => ({ ...(await open()), sizeBytes })
      expect(await checksum({ sizeBytes, open: openLying }, 'md5', me)).toBe(expected)
    }
  })

  it('of a large file leave the main thread to the others', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'large.bin', 512 * MIB)
    const file = await inTree(tree, 'large.bin')
    // On the main thread it was above 0.9.
    const share = await leastOf(0.4, async () => {
      const before = performance.eventLoopUtilization()
      await checksum(file, 'sha512', me)
      return performance.eventLoopUtilization(before).utilization
    })
    expect(share).toBeLessThan(0.4)
  })

  it('end when the client goes, also for those who wait for their turn', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'huge.bin', 512 * 1024 * MIB)
    const handles: ReadHandle[] = []
    const file = await inTree(tree, 'huge.bin', handles)
    const gone = new AbortController()
    const hashing = [1, 2, 3, 4].map((owner) =>
      checksum(file, 'sha512', { owner, signal: gone.signal }),
    )
    const ended = Promise.allSettled(hashing)
    await waitFor('two threads', () => handles.length === 2)
    gone.abort(new Error('the client has gone'))
    const results = await withDeadline('the end of the work', 60_000, ended)
    for (const result of results)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { message: 'the client has gone' },
      })
    expect(handles.filter(isOpen)).toEqual([])
    // All places are free again.
    await writeFile(tree.at('next.bin'), Buffer.alloc(2 * MIB))
    const next = await inTree(tree, 'next.bin')
    await withDeadline('the next file', 60_000, checksum(next, 'md5', me))
  })

  it('of one user do not keep another waiting, and who waits holds no file open', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'huge.bin', 512 * 1024 * MIB)
    await writeFile(tree.at('other.bin'), Buffer.alloc(2 * MIB))
    const handles: ReadHandle[] = []
    const huge = await inTree(tree, 'huge.bin', handles)
    const gone = new AbortController()
    const greedy = { owner: 1, signal: gone.signal }
    const hashing = [1, 2, 3, 4].map(() => checksum(huge, 'md5', greedy))
    const ended = Promise.allSettled(hashing)
    const other = await inTree(tree, 'other.bin')
    const done = checksum(other, 'md5', { owner: 2, signal: forever })
    await withDeadline('the other user', 60_000, done)
    expect(handles).toHaveLength(1)
    gone.abort()
    await ended
  })

  it('are not begun for a client that has gone already', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'huge.bin', 512 * 1024 * MIB)
    const gone = new AbortController()
    const file = await inTree(tree, 'huge.bin')
    const hashing = checksum(file, 'md5', { owner: 1, signal: gone.signal })
    gone.abort(new Error('the client has gone'))
    await expect(withDeadline('the end', 60_000, hashing)).rejects.toThrow('the client has gone')
  })

  it('fail like the reading does', async () => {
    await using tree = await makeTree({})
    await sparse(tree, 'a.bin', 2 * MIB)
    const file = await inTree(tree, 'a.bin')
    const openToWrite = async () => {
      const { handle, ...facts } = await file.open()
      await handle.close()
      const writer = await open(tree.at('a.bin'), 'a')
      const readOrGiveUp: ReadHandle['read'] = (...words) => writer.read(...words)
      return { ...facts, handle: { ...handle, readOrGiveUp, close: () => writer.close() } }
    }
    await expect(checksum({ ...file, open: openToWrite }, 'md5', me)).rejects.toThrow('EBADF')
  })
})
