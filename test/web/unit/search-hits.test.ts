// Hits of a search as the entries of a listing, as they come.
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import type { SearchHit } from '../../../src/api-types.ts'
import { searchPath } from '../../../web/lib/paths.ts'
import { findHits, toEntry } from '../../../web/operations/search/hits.ts'
import { MOST_HITS } from '../../../web/operations/search/run-search.ts'
import type { Folder } from '../../../web/state/folder-cache.ts'
import { sendToListing } from '../../../web/state/listing.ts'
import { patchFolder } from '../../../web/state/patch-folder.ts'

afterEach(() => vi.unstubAllGlobals())

const { signal } = new AbortController()
const hit = (path: string, dir = false): SearchHit => ({ path, dir, size: 3, modified: '' })

/** The server finds these. */
function answerWith(hits: readonly SearchHit[]) {
  const body = hits.map((each) => `${JSON.stringify(each)}\n`).join('')
  vi.stubGlobal('fetch', async () => new Response(body))
}

const find = (onSome: (folder: Folder) => void = () => {}) =>
  findHits(searchPath('/a', 'dawn'), signal, onSome)
const pathsIn = (folder: Folder) => folder.entries.map(({ path }) => path)

it('a hit has the path from the top, its kind by its name, and no permission bits', () => {
  expect(toEntry('/a', hit('b/c.JPG'))).toMatchObject({
    ...{ path: '/a/b/c.JPG', name: 'c.JPG', extension: '.JPG', type: 'image', size: 3, mode: 0 },
  })
  expect(toEntry('/', hit('x.y', true))).toMatchObject({ path: '/x.y', extension: '', type: '' })
})

it('the best hits come first, whatever came first', async () => {
  answerWith([hit('old dawn.txt'), hit('dawn.txt'), hit('sub/dawn', true)])
  const folder = await find()
  expect(folder.search).toBe('done')
  expect(pathsIn(folder)).toEqual(['/a/sub/dawn', '/a/dawn.txt', '/a/old dawn.txt'])
})

it(`of more than ${MOST_HITS} hits the first are there, and it is said that there are more`, async () => {
  answerWith(Array.from({ length: MOST_HITS + 1 }, (_, n) => hit(`dawn ${n}`)))
  const folder = await find()
  expect(folder.search).toBe('cut')
  expect(folder.entries).toHaveLength(MOST_HITS)
})

it('what was found before a search failed stays, with the failure', async () => {
  const sent = new TextEncoder().encode(`${JSON.stringify(hit('dawn.txt'))}\n`)
  const body = new ReadableStream(
    {
      start: (controller) => controller.enqueue(sent),
      pull: (controller) => controller.error(new Error('gone')),
    },
    { highWaterMark: 0 },
  )
  vi.stubGlobal('fetch', async () => new Response(body))
  const folder = await find()
  expect(folder.search).toBeInstanceOf(Error)
  expect(pathsIn(folder)).toEqual(['/a/dawn.txt'])
})

it('what is being removed from a folder has left the hits that are shown, until it is taken back', async () => {
  answerWith([hit('b/dawn.txt'), hit('dawn')])
  const folder = await find()
  const shown: string[][] = []
  const { vpath } = folder
  sendToListing({ type: 'opened', vpath, known: null })
  sendToListing({
    type: 'listed',
    folder,
    view: 'list',
    sort: { column: 'match', ascending: true },
  })
  const change = patchFolder({ folder: '/a/b', remove: ['/a/b/dawn.txt'] })
  onTestFinished(() => change.settle())
  shown.push(pathsIn(await find()))
  change.takeBack()
  shown.push(pathsIn(await find()))
  expect(shown).toEqual([['/a/dawn'], ['/a/dawn', '/a/b/dawn.txt']])
})
