// Limits on real trees: what is counted, and what is refused.
import { link, readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { copyTree } from '../../src/files/transfer/copy.ts'
import { moveTree } from '../../src/files/transfer/move.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { type LimitedTree, limitedTree, sumOf } from '../support/quotas.ts'

const at = vpathOf
const full = expect.objectContaining({ code: 'quota_exceeded' })
const { signal } = new AbortController()
const options = {
  replace: false,
  signal,
  reserve: (temp: { requireSpace(bytes: number): Promise<void> }, bytes: number) =>
    temp.requireSpace(bytes),
}

async function write(
  { scope }: LimitedTree,
  path: string,
  text: string,
  { replace = true } = {},
): Promise<void> {
  const temp = await scope.openTemp(at(path), { parents: true })
  try {
    await temp.write([Buffer.from(text)], 0, { direct: true })
    await temp.commit({ replace })
  } finally {
    await temp.discard()
  }
}

describe('writing', () => {
  it('fills a folder to its last byte and not further', async () => {
    await using limited = await limitedTree({ 'a/old.txt': '1234' }, { a: 10 })
    await write(limited, '/a/b/new.txt', '123456')
    await expect(write(limited, '/a/more.txt', '1')).rejects.toEqual(full)
    await write(limited, '/a/empty.txt', '')
    await write(limited, '/beside.txt', 'no limit here')
    expect(await limited.used('a')).toBe(10)
    expect(limited.reserved('a')).toBe(0)
    expect(sumOf(limited.tree.at('a'))).toBe(10)
  })

  it('counts the difference when a file is replaced', async () => {
    await using limited = await limitedTree({ 'a/x.txt': '12345678' }, { a: 10 })
    await write(limited, '/a/x.txt', '1234567890')
    await expect(write(limited, '/a/x.txt', '12345678901')).rejects.toEqual(full)
    expect(await limited.tree.read('a/x.txt')).toBe('1234567890')
    await write(limited, '/a/x.txt', '123')
    expect(await limited.used('a')).toBe(3)
  })

  it('goes by where a link leads', async () => {
    await using limited = await limitedTree({ 'a/real.txt': '12', b: null }, { a: 4 })
    await symlink('../a', limited.tree.at('b/to-a'))
    await expect(write(limited, '/b/to-a/x.txt', '123')).rejects.toEqual(full)
    await write(limited, '/b/to-a/x.txt', '12')
    expect(await limited.used('a')).toBe(4)
  })

  it('into a folder that is over its limit is refused, and what is there stays and may shrink', async () => {
    await using limited = await limitedTree({ 'a/x.txt': '1234567890' }, { a: 4 })
    await expect(write(limited, '/a/y.txt', '1')).rejects.toEqual(full)
    expect(await limited.tree.read('a/x.txt')).toBe('1234567890')
    await write(limited, '/a/x.txt', '123456')
    await limited.scope.remove(at('/a/x.txt'), signal)
    await write(limited, '/a/y.txt', '1234')
    expect(await limited.used('a')).toBe(4)
  })

  it('holds what is declared until an upload ends, also over a restart', async () => {
    const first = await limitedTree({ a: null }, { a: 10 })
    const { tree } = first
    const label = `up-${'0'.repeat(32)}-u1-8-n-`
    const facts = { upload: { owner: 1, vpath: '/a/x.txt' } }
    await (await first.scope.openTemp(at('/a/x.txt'), { label, facts })).release()
    await expect(write(first, '/a/y.txt', '123')).rejects.toEqual(full)
    await first.close()
    await using second = await limitedTree({}, { a: 10 }, { tree })
    await expect(write(second, '/a/y.txt', '123')).rejects.toEqual(full)
    const resumed = await second.scope.openTemp(at('/a/x.txt'), { resume: `.fb-tmp-${label}` })
    await resumed.discard()
    await write(second, '/a/y.txt', '123')
    expect([await second.used('a'), second.reserved('a')]).toEqual([3, 0])
    await tree[Symbol.asyncDispose]()
  })
})

describe('a removal', () => {
  it('gives back what a tree held, unfinished uploads included', async () => {
    await using limited = await limitedTree(
      { 'a/keep.txt': '1', 'a/b/c/x.txt': '123', 'a/b/y.txt': '12' },
      { a: 20 },
    )
    const label = `up-${'0'.repeat(32)}-u1-8-n-`
    const facts = { upload: { owner: 1, vpath: '/a/b/z.txt' } }
    await (await limited.scope.openTemp(at('/a/b/z.txt'), { label, facts })).release()
    expect([await limited.used('a'), limited.reserved('a')]).toEqual([6, 8])
    await limited.scope.remove(at('/a/b'), signal)
    expect([await limited.used('a'), limited.reserved('a')]).toEqual([1, 0])
  })

  it('of a single entry gives back its size', async () => {
    await using limited = await limitedTree({ 'a/x.txt': '123' }, { a: 20 })
    expect(await limited.used('a')).toBe(3)
    const { ownMtimeNs } = await limited.scope.stat(at('/a/x.txt'))
    expect(await limited.scope.removeSingle(at('/a/x.txt'), 1n)).toBe(false)
    expect(await limited.used('a')).toBe(3)
    await limited.scope.removeSingle(at('/a/x.txt'), ownMtimeNs)
    expect(await limited.used('a')).toBe(0)
  })
})

describe('a move', () => {
  it('of a tree into a limited folder needs room for all of it', async () => {
    const content = {
      'big/x.txt': '123456',
      'big/c/y.txt': '12345',
      'small/x.txt': '12345',
      a: null,
    }
    await using limited = await limitedTree(content, { a: 10 })
    await expect(moveTree(limited.scope, at('/big'), at('/a/big'), options)).rejects.toEqual(full)
    expect(sumOf(limited.tree.at('big'))).toBe(11)
    await moveTree(limited.scope, at('/small'), at('/a/small'), options)
    expect([await limited.used('a'), limited.reserved('a')]).toEqual([5, 0])
    await moveTree(limited.scope, at('/a/small'), at('/out'), options)
    expect(await limited.used('a')).toBe(0)
  })

  it('inside costs nothing, also when all is full', async () => {
    await using limited = await limitedTree({ 'a/b/x.txt': '12345', 'a/y.txt': '1' }, { a: 6 })
    await moveTree(limited.scope, at('/a/b'), at('/a/c'), options)
    await moveTree(limited.scope, at('/a/y.txt'), at('/a/c/y.txt'), options)
    expect(await limited.used('a')).toBe(6)
  })

  it('from an outer limit into an inner one asks the inner one alone', async () => {
    await using limited = await limitedTree(
      { 'a/x.txt': '12345', 'a/b/y.txt': '1' },
      { a: 6, 'a/b': 6 },
    )
    await moveTree(limited.scope, at('/a/x.txt'), at('/a/b/x.txt'), options)
    expect([await limited.used('a'), await limited.used('a/b')]).toEqual([6, 6])
  })

  it('over another file gives back what that held', async () => {
    await using limited = await limitedTree({ 'x.txt': '12345', 'a/y.txt': '1234' }, { a: 5 })
    await moveTree(limited.scope, at('/x.txt'), at('/a/y.txt'), { ...options, replace: true })
    expect(await limited.used('a')).toBe(5)
  })

  it('of the limited folder itself keeps its count', async () => {
    await using limited = await limitedTree({ 'a/x.txt': '12345' }, { '.': 100, a: 5 })
    expect(await limited.used('a')).toBe(5)
    await moveTree(limited.scope, at('/a'), at('/b'), options)
    limited.limit({ '.': 100, b: 5 })
    expect([await limited.used('.'), await limited.used('b')]).toEqual([5, 5])
    await expect(write(limited, '/b/y.txt', '1')).rejects.toEqual(full)
  })
})

it('a copy stops as a whole at the limit, with whole files only', async () => {
  const content = { 'from/1.txt': '1234', 'from/2.txt': '1234', 'from/3.txt': '1234', a: null }
  await using limited = await limitedTree(content, { a: 10 })
  await expect(copyTree(limited.scope, at('/from'), at('/a/to'), options)).rejects.toEqual(full)
  expect(await limited.used('a')).toBe(8)
  expect(sumOf(limited.tree.at('a'))).toBe(8)
})

describe('counted are', () => {
  it('all names of files: hard links twice, links not, holes as if filled, temporary files not', async () => {
    await using limited = await limitedTree({ 'a/x.txt': '12345', 'other.txt': '1' }, {})
    const { tree } = limited
    await link(tree.at('a/x.txt'), tree.at('a/hard.txt'))
    await symlink('x.txt', tree.at('a/soft.txt'))
    await symlink('..', tree.at('a/up'))
    await writeFile(tree.at('a/sparse.bin'), '')
    await truncate(tree.at('a/sparse.bin'), 1_000_000)
    await writeFile(tree.at(`a/.fb-tmp-${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`), 'temp')
    limited.limit({ a: 2_000_000 })
    expect(await limited.used('a')).toBe(1_000_010)
    expect(sumOf(tree.at('a'))).toBe(1_000_010)
  })

  it('a folder that is not there yet from when it is made', async () => {
    await using limited = await limitedTree({}, { 'later/home': 5 })
    await write(limited, '/later/home/x.txt', '12345')
    await expect(write(limited, '/later/home/y.txt', '1')).rejects.toEqual(full)
    expect(await limited.used('later/home')).toBe(5)
  })
})

describe('the figures', () => {
  const file = (limited: LimitedTree) => join(limited.tree.base, 'filebrowser.db.usage')
  const known = async (limited: LimitedTree) => JSON.parse(await readFile(file(limited), 'utf8'))

  it('are kept over a stop, and are not taken for true after a crash', async () => {
    const first = await limitedTree({ 'a/x.txt': '12345' }, { a: 10 })
    const { tree } = first
    await write(first, '/a/y.txt', '12')
    expect((await known(first)).clean).toBe(false)
    await first.close()
    expect(await known(first)).toMatchObject({
      clean: true,
      folders: { [tree.at('a')]: { usedBytes: 7 } },
    })
    // What others write while it is stopped is found by the next count.
    await tree.add({ 'a/z.txt': '1' })
    const second = await limitedTree({}, { a: 10 }, { tree })
    expect(await second.used('a')).toBe(7)
    // A crash: nothing is closed.
    await using third = await limitedTree({}, { a: 10 }, { tree })
    expect(await third.used('a')).toBe(8)
    await second.close()
    await tree[Symbol.asyncDispose]()
  })

  it('have no file without limits, and none any more when the last limit goes', async () => {
    await using limited = await limitedTree({ a: null }, {})
    await write(limited, '/a/x.txt', '12345')
    await expect(readFile(file(limited))).rejects.toMatchObject({ code: 'ENOENT' })
    limited.limit({ a: 10 })
    expect(await limited.used('a')).toBe(5)
    await readFile(file(limited))
    limited.limit({})
    await limited.quotas.ready('/')
    await expect(readFile(file(limited))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(limited.quotas.isActive).toBe(false)
  })

  it('of changes beside a count are what the disk says afterwards', async () => {
    const content = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`a/${i % 20}/${i}.txt`, '12345']),
    )
    await using limited = await limitedTree(content, { a: 1_000_000 })
    const { quotas, tree, scope } = limited
    await limited.used('a')
    for (let round = 0; round < 5; round++) {
      quotas.recount()
      // Some fail: what they write to moves away.
      await Promise.allSettled([
        ...Array.from({ length: 20 }, (_, i) =>
          write(limited, `/a/${i}/new-${round}`, 'x'.repeat(i)),
        ),
        scope.remove(at(`/a/${round}`), signal),
        moveTree(scope, at(`/a/1${round}`), at(`/a/moved-${round}/1${round}`), options),
      ])
    }
    await expect.poll(() => quotas.ledger.counters.values().next().value?.count).toBe(null)
    expect(await limited.used('a')).toBe(sumOf(tree.at('a')))
  })
})
