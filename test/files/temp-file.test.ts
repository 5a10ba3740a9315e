// The same promises by both ways: at once on a local disk, through the pool elsewhere.
import { chmodSync, statSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createLocalDevice } from '../../src/files/disks/device.ts'
import { openTemp } from '../../src/files/volume/temp-file.ts'
import { TEMP_PREFIX } from '../../src/files/volume/temp-name.ts'
import { openTop } from '../support/scope.ts'
import { makeTree, type Tree } from '../support/tree.ts'

/** One such call, and the disk is asked through the pool for a while. */
const SLOW_MS = 1_000

describe.each([{ isDirect: true }, { isDirect: false }])(
  'a temporary file (isDirect: $isDirect)',
  ({ isDirect }) => {
    const begin = async (tree: Tree, options: { label?: string; resume?: string } = {}) => {
      const device = createLocalDevice()
      if (!isDirect) for (const ms of [SLOW_MS, SLOW_MS]) device.measure(ms)
      const { folder, timesClosed } = await openTop(tree, device)
      const temp = await openTemp(folder, 'a.txt', { fileMode: 0o640, ...options })
      return { temp, timesClosed }
    }

    it('takes the place, the mode and nothing else of what it replaces', async () => {
      await using tree = await makeTree({ 'a.txt': 'old and longer' })
      chmodSync(tree.at('a.txt'), 0o604)
      const { temp, timesClosed } = await begin(tree)
      await temp.write([Buffer.from('new')], 0, { direct: true })
      const done = await temp.commit({ replace: true, mtimeMs: 1_000_000_000_000 })
      await temp.discard()
      expect(await tree.read('a.txt')).toBe('new')
      expect(statSync(tree.at('a.txt')).mode & 0o777).toBe(0o604)
      expect(done).toMatchObject({ sizeBytes: 3, mtimeNs: 1_000_000_000_000_000_000n })
      expect(await readdir(tree.root)).toEqual(['a.txt'])
      expect(timesClosed()).toBe(1)
    })

    it('has its time before it has its name, so that the end of the server between them is no matter', async () => {
      await using tree = await makeTree({})
      const { temp } = await begin(tree)
      await temp.write([Buffer.from('new')], 0, { direct: true })
      await temp.setTime(1_000_000_000_000)
      const [hidden = ''] = await readdir(tree.root)
      expect(hidden).toContain(TEMP_PREFIX)
      expect(statSync(tree.at(hidden)).mtimeMs).toBe(1_000_000_000_000)
      await temp.commit({ replace: false })
      expect(statSync(tree.at('a.txt')).mtimeMs).toBe(1_000_000_000_000)
    })

    it('gives setuid, setgid and sticky bits of the old file to no new content', async () => {
      await using tree = await makeTree({ 'a.txt': 'a trusted program' })
      chmodSync(tree.at('a.txt'), 0o7755)
      const { temp } = await begin(tree)
      await temp.commit({ replace: true })
      expect(statSync(tree.at('a.txt')).mode & 0o7777).toBe(0o755)
    })

    it('replaces a large file as well', async () => {
      await using tree = await makeTree({ 'a.txt': 'x'.repeat(2_000_000) })
      const { temp } = await begin(tree)
      await temp.commit({ replace: true })
      expect(await tree.read('a.txt')).toBe('')
    })

    it('leaves what is there when it may not be replaced, or a check fails, or it is a folder', async () => {
      await using tree = await makeTree({ 'a.txt': 'old' })
      const first = await begin(tree)
      await expect(first.temp.commit({ replace: false })).rejects.toMatchObject({ code: 'exists' })
      const check = () => Promise.reject(new Error('changed'))
      await expect(first.temp.commit({ replace: true, check })).rejects.toThrow('changed')
      expect(await tree.read('a.txt')).toBe('old')
      await first.temp.discard()
      expect(await readdir(tree.root)).toEqual(['a.txt'])

      await using other = await makeTree({})
      await mkdir(other.at('a.txt'))
      const second = await begin(other)
      await expect(second.temp.commit({ replace: true })).rejects.toMatchObject({
        code: 'is_a_folder',
      })
      await second.temp.discard()
      expect([first.timesClosed(), second.timesClosed()]).toEqual([1, 1])
    })

    it('is found again by its label, and empty when it is begun anew', async () => {
      await using tree = await makeTree({})
      const first = await begin(tree, { label: 'up-x' })
      await first.temp.write([Buffer.from('begun')], 0, { direct: true })
      await first.temp.release()
      const again = await begin(tree, { resume: `${TEMP_PREFIX}up-x` })
      expect(await again.temp.sizeBytes()).toBe(5)
      await again.temp.truncate(2)
      expect(await again.temp.sizeBytes()).toBe(2)
      await again.temp.release()
      const anew = await begin(tree, { label: 'up-x' })
      expect(await anew.temp.sizeBytes()).toBe(0)
      await anew.temp.commit({ replace: false })
      expect(await readdir(tree.root)).toEqual(['a.txt'])
    })

    it('takes no name that has been given away meanwhile', async () => {
      await using tree = await makeTree({})
      const { temp } = await begin(tree)
      const check = () => writeFile(tree.at('a.txt'), 'first')
      await expect(temp.commit({ replace: false, check })).rejects.toMatchObject({ code: 'exists' })
      expect(await tree.read('a.txt')).toBe('first')
      await temp.discard()
    })
  },
)
