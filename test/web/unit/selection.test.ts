import { beforeEach, describe, expect, it } from 'vitest'
import {
  clearSelection,
  extendSelection,
  invertSelection,
  keepSelected,
  renameSelected,
  selection,
  selectOnly,
  startSelectionMode,
  toggleAll,
  toggleSelected,
} from '../../../web/state/selection.ts'
import { cpuMs, leastMs } from '../../support/cpu-time.ts'

const order = ['/a', '/b', '/c', '/d', '/e'].map((path) => ({ path }))
const selected = () => [...selection.paths].sort().join('')

describe('selection', () => {
  beforeEach(clearSelection)

  it('extends from the anchor in visible order, and shrinks again', () => {
    selectOnly('/b')
    extendSelection(order, '/e')
    expect(selected()).toBe('/b/c/d/e')
    extendSelection(order, '/a')
    expect(selected()).toBe('/a/b')
  })

  it('keeps what was toggled before a range', () => {
    selectOnly('/a')
    toggleSelected('/c')
    extendSelection(order, '/d')
    expect(selected()).toBe('/a/c/d')
  })

  it('follows the order of the screen, not of the server', () => {
    selectOnly('/e')
    extendSelection([...order].reverse(), '/d')
    expect(selected()).toBe('/d/e')
  })

  it('survives a reload by path and forgets what is gone', () => {
    toggleSelected('/a')
    toggleSelected('/b')
    keepSelected((path) => path !== '/b')
    expect(selected()).toBe('/a')
    expect(selection.anchor).toBeNull()
    renameSelected('/a', '/z')
    expect(selected()).toBe('/z')
  })

  it('selects everything, and nothing when asked again', () => {
    toggleAll(order)
    expect(selection.paths.size).toBe(5)
    toggleAll(order)
    expect(selection.paths.size).toBe(0)
    toggleSelected('/a')
    invertSelection(order)
    expect(selected()).toBe('/b/c/d/e')
  })

  it('leaves touch selection mode when nothing is selected any more', () => {
    startSelectionMode('/a')
    expect(selection.mode).toBe(true)
    toggleSelected('/a')
    expect(selection.mode).toBe(false)
  })

  it('selects all of 100,000 entries in less than 100 ms', async () => {
    const many = Array.from({ length: 100_000 }, (_, i) => ({ path: `/folder/file ${i}.txt` }))
    const takenMs = await leastMs(100, () => {
      clearSelection()
      return cpuMs(() => toggleAll(many))
    })
    expect(takenMs).toBeLessThan(100)
    expect(selection.paths.size).toBe(100_000)
  })
})
