import { describe, expect, it } from 'vitest'
import type { Folder } from '../../../web/state/folder-cache.ts'
import { type ListingEvent, nextPhase, START } from '../../../web/state/listing-phase.ts'

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

const phaseAfter = (...events: ListingEvent[]) => events.reduce(nextPhase, START)
const [a, b] = [folder('/a'), folder('/b')]

describe('the listing', () => {
  it('draws the folder before while another one loads, and behind a file', () => {
    const inA = phaseAfter(
      { type: 'opened', vpath: '/a', known: null },
      { type: 'listed', folder: a },
    )
    expect(inA).toEqual({ kind: 'folder', vpath: '/a', folder: a })
    expect(nextPhase(inA, { type: 'opened', vpath: '/b', known: null })).toEqual({
      kind: 'loading',
      vpath: '/b',
      folder: a,
      slow: false,
    })
    expect(nextPhase(inA, { type: 'opened', vpath: file.path, known: file })).toEqual({
      kind: 'file',
      vpath: file.path,
      folder: a,
      file,
    })
  })

  it('shows at once what is known or drawn already', () => {
    const inB = phaseAfter({ type: 'opened', vpath: '/b', known: b })
    expect(inB).toEqual({ kind: 'folder', vpath: '/b', folder: b })
    const failed = nextPhase(nextPhase(inB, { type: 'opened', vpath: '/gone', known: null }), {
      type: 'failed',
      error: new Error('gone'),
    })
    expect(failed).toMatchObject({ kind: 'failed', vpath: '/gone', folder: b })
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
    const inA = phaseAfter({ type: 'opened', vpath: '/a', known: a })
    const changed = folder('/a')
    expect(nextPhase(inA, { type: 'changed', folder: changed }).folder).toBe(changed)
    expect(nextPhase(inA, { type: 'changed', folder: b })).toBe(inA)
    expect(nextPhase(inA, { type: 'delayed' })).toBe(inA)
  })
})
