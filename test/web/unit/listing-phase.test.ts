import { i18n } from '@lingui/core'
import { describe, expect, it } from 'vitest'
import type { FileEntry } from '../../../src/api-types.ts'
import { WORKER_FROM_ENTRIES } from '../../../web/lib/sorting/sort-queue.ts'
import type { Folder } from '../../../web/state/folder-cache.ts'
import {
  type ListingEvent,
  type ListingPhase,
  nextPhase,
  type OpenedFolder,
  START,
} from '../../../web/state/listing-phase.ts'

const folder = (vpath: string): Folder => ({
  vpath,
  entries: [],
  byPath: new Map(),
  sorting: undefined,
  inServerOrder: true,
  modifiedMs: 0,
  mode: 0,
  fetchedAtMs: 0,
})

const file = {
  path: '/a/b.txt',
  name: 'b.txt',
  size: 1,
  extension: '.txt',
  modified: '2026-01-01T00:00:00Z',
  mode: 0o644,
  isDir: false,
  isSymlink: false,
  type: 'text',
} as const

const opened = (shown: Folder): OpenedFolder => ({
  folder: shown,
  view: 'list',
  sort: { column: 'name', ascending: true },
})
const phaseAfter = (...events: ListingEvent[]) => events.reduce(nextPhase, START)
const [a, b] = [folder('/a'), folder('/b')]

const entry = (name: string): FileEntry => ({ ...file, name, path: `/a/${name}` })
const filled = (...names: string[]): Folder => {
  const entries = names.map(entry)
  const byPath = new Map(entries.map((each) => [each.path, each]))
  return { ...folder('/a'), entries, byPath, inServerOrder: false }
}
const many = Array.from({ length: WORKER_FROM_ENTRIES + 1 }, (_, i) => `${i}.txt`)
const namesIn = ({ shown }: ListingPhase) => shown.visible.map((each) => each.name)

describe('the listing', () => {
  it('filters a folder by what was typed while it loaded, and by nothing from the one before', () => {
    const inA = phaseAfter(
      { type: 'opened', vpath: '/a', known: null },
      { type: 'listed', ...opened(filled('x', 'y')) },
      { type: 'chosen', choice: { filter: 'x' } },
    )
    expect(namesIn(inA)).toEqual(['x'])
    const leaving = nextPhase(inA, { type: 'opened', vpath: '/b', known: null })
    const inB = { ...filled('pdf', 'y'), vpath: '/b' }
    const untouched = nextPhase(leaving, { type: 'listed', ...opened(inB) })
    expect(namesIn(untouched)).toEqual(['pdf', 'y'])
    const typed = nextPhase(leaving, { type: 'chosen', choice: { filter: 'pdf' } })
    expect(namesIn(nextPhase(typed, { type: 'listed', ...opened(inB) }))).toEqual(['pdf'])
  })

  it('draws the folder before while another one loads, and behind a file', () => {
    const inA = phaseAfter(
      { type: 'opened', vpath: '/a', known: null },
      { type: 'listed', ...opened(a) },
    )
    const { shown } = inA
    expect(shown.folder).toBe(a)
    expect(inA).toEqual({ kind: 'folder', vpath: '/a', shown })
    expect(nextPhase(inA, { type: 'opened', vpath: '/b', known: null })).toEqual({
      kind: 'loading',
      vpath: '/b',
      shown,
      slow: false,
    })
    expect(nextPhase(inA, { type: 'opened', vpath: file.path, known: file })).toEqual({
      kind: 'file',
      vpath: file.path,
      shown,
      file,
    })
  })

  it('shows at once what is known or drawn already', () => {
    const inB = phaseAfter({ type: 'opened', vpath: '/b', known: opened(b) })
    expect(inB).toMatchObject({ kind: 'folder', vpath: '/b', shown: { folder: b } })
    const failed = nextPhase(nextPhase(inB, { type: 'opened', vpath: '/gone', known: null }), {
      type: 'failed',
      error: new Error('gone'),
    })
    expect(failed).toMatchObject({ kind: 'failed', vpath: '/gone', shown: { folder: b } })
    expect(nextPhase(failed, { type: 'opened', vpath: '/b', known: null })).toEqual(inB)
  })

  it('keeps a skeleton from one awaited folder to the next', () => {
    const slow = phaseAfter({ type: 'opened', vpath: '/a', known: null }, { type: 'delayed' })
    expect(slow).toMatchObject({ kind: 'loading', slow: true })
    expect(nextPhase(slow, { type: 'opened', vpath: '/b', known: null })).toMatchObject({
      kind: 'loading',
      vpath: '/b',
      slow: true,
    })
  })

  it('takes changes of the folder it draws only, and late answers of none', () => {
    const inA = phaseAfter({ type: 'opened', vpath: '/a', known: opened(a) })
    const changed = folder('/a')
    expect(nextPhase(inA, { type: 'changed', folder: changed }).shown.folder).toBe(changed)
    expect(nextPhase(inA, { type: 'changed', folder: b })).toBe(inA)
    expect(nextPhase(inA, { type: 'delayed' })).toBe(inA)
  })

  it('shows what sort and filter say, and forgets the filter and the focus in another folder', () => {
    const inA = phaseAfter(
      { type: 'opened', vpath: '/a', known: opened(filled('b.txt', 'c.md', 'a.txt')) },
      { type: 'chosen', choice: { focus: '/a/a.txt' } },
    )
    expect(namesIn(inA)).toEqual(['a.txt', 'b.txt', 'c.md'])
    const byName = { column: 'name', ascending: false } as const
    const turned = nextPhase(inA, { type: 'chosen', choice: { sort: byName } })
    expect(namesIn(turned)).toEqual(['c.md', 'b.txt', 'a.txt'])
    const texts = nextPhase(turned, { type: 'chosen', choice: { filter: ' TXT' } })
    expect(namesIn(texts)).toEqual(['b.txt', 'a.txt'])
    expect(texts.shown.focus).toBe('/a/a.txt')
    expect(nextPhase(texts, { type: 'chosen', choice: { filter: 'md' } }).shown.focus).toBeNull()
    const next = nextPhase(texts, { type: 'opened', vpath: '/b', known: opened(b) })
    expect(next.shown).toMatchObject({ filter: '', focus: null, visible: [] })
  })

  it('orders names for their reader also where the server has ordered them', () => {
    i18n.loadAndActivate({ locale: 'en', messages: {} })
    const names = ['note-1(1).md', 'note-1.md', 'zebra.md', 'école.md']
    const listed = (...all: string[]) =>
      nextPhase(phaseAfter({ type: 'opened', vpath: '/a', known: null }), {
        type: 'listed',
        ...opened({ ...filled(...all), inServerOrder: true, sorting: { by: 'name', asc: false } }),
      })
    expect(namesIn(listed(...names))).toEqual(['école.md', 'note-1.md', 'note-1(1).md', 'zebra.md'])
    const swedish = ['apfel.md', 'Zug.md', 'Ähre.md']
    const inEnglish = listed(...swedish)
    expect(namesIn(inEnglish)).toEqual(['Ähre.md', 'apfel.md', 'Zug.md'])
    i18n.loadAndActivate({ locale: 'sv', messages: {} })
    expect(namesIn(nextPhase(inEnglish, { type: 'language' }))).toEqual(swedish)
    const large = listed(...names, ...many)
    expect(namesIn(large).slice(0, 4)).toEqual(names)
    expect(large.shown.ordering).toBe(true)
  })

  it('lands again when a large folder is sorted, and takes no order that is out of date', () => {
    const large = filled(...many)
    const landed = phaseAfter(
      { type: 'opened', vpath: '/a', known: opened(large) },
      { type: 'chosen', choice: { focus: '/a/7.txt' } },
      { type: 'landed', landing: { kind: 'entry', path: '/a/7.txt', arrival: true } },
    )
    expect(landed.shown).toMatchObject({ ordering: true, visible: [], focus: '/a/7.txt' })
    const { sort } = landed.shown
    const answer = { type: 'ordered', folder: large, sort, entries: large.entries } as const
    expect(nextPhase(landed, { ...answer, folder: a })).toBe(landed)
    const bySize = { column: 'size', ascending: true } as const
    expect(nextPhase(landed, { ...answer, sort: bySize })).toBe(landed)
    const { shown } = nextPhase(landed, answer)
    expect(shown).toMatchObject({ ordering: false, focus: '/a/7.txt' })
    expect(shown.visible).toHaveLength(many.length)
    expect(shown.landing).not.toBe(landed.shown.landing)
    expect(shown.landing).toEqual({ kind: 'entry', path: '/a/7.txt', arrival: false })
  })

  it('shows the hits of a search as they were ranked, folders among files, however many there are', () => {
    const found = filled(...many)
    const mixed = found.entries.map((each, i) => ({ ...each, isDir: i % 3 === 1 }))
    const hits: Folder = { ...found, entries: mixed, search: 'done' }
    const phase = phaseAfter(
      { type: 'opened', vpath: '/a', known: null },
      { type: 'listed', folder: hits, view: 'list', sort: { column: 'match', ascending: true } },
    )
    expect(phase.shown.visible).toEqual(mixed)
    expect(phase.shown.ordering).toBe(false)
  })
})
