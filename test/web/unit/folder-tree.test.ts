import { describe, expect, it } from 'vitest'
import { treeMove } from '../../../web/layout/folders/tree-keys.ts'
import { foldersToLoad } from '../../../web/layout/folders/use-folder-tree.ts'
import { MAX_SIBLINGS, siblingsShown } from '../../../web/listing/siblings.ts'
import {
  emptyTree,
  type FolderTree,
  rowsOf,
  subfoldersOf,
  withChildren,
  withExpanded,
} from '../../../web/state/folder-tree.ts'

const children = (parent: string, ...names: string[]) =>
  names.map((name) => ({ path: `${parent}/${name}` }))

function tree(): FolderTree {
  const top = withChildren(emptyTree, '/', children('', 'a', 'b'))
  const inA = withChildren(withExpanded(top, '/a', true), '/a', children('/a', 'x', 'y'))
  return withChildren(inA, '/b', [])
}

const press = (key: string, rtl = false) => ({ key, rtl, page: 2 })
const rows = rowsOf(tree()).slice(1)
const indexOf = (path: string) => rows.findIndex((row) => row.path === path)

describe('the tree of folders', () => {
  it('has a row for each folder in sight, with its place among its siblings', () => {
    expect(
      rows.map(({ path, level, position, siblings }) => [path, level, position, siblings]),
    ).toEqual([
      ['/a', 2, 1, 2],
      ['/a/x', 3, 1, 2],
      ['/a/y', 3, 2, 2],
      ['/b', 2, 2, 2],
    ])
  })

  it('opens, enters and leaves branches by the arrows, which swap from right to left', () => {
    const [a, x, b] = [indexOf('/a'), indexOf('/a/x'), indexOf('/b')]
    expect(treeMove(rows, a, press('ArrowRight'))).toEqual({ to: x })
    expect(treeMove(rows, x, press('ArrowRight'))).toEqual({ toggle: x, expanded: true })
    expect(treeMove(rows, x, press('ArrowLeft'))).toEqual({ to: a })
    expect(treeMove(rows, a, press('ArrowLeft'))).toEqual({ toggle: a, expanded: false })
    expect(treeMove(rows, a, press('ArrowLeft', true))).toEqual({ to: x })
    // Known to hold no folders.
    expect(treeMove(rows, b, press('ArrowRight'))).toBeNull()
    expect(treeMove(rows, b, press('ArrowLeft'))).toBeNull()
  })

  it('moves by Home, End and pages within its rows, and opens by Enter and Space', () => {
    expect(treeMove(rows, 2, press('Home'))).toEqual({ to: 0 })
    expect(treeMove(rows, 0, press('End'))).toEqual({ to: 3 })
    expect(treeMove(rows, 2, press('PageDown'))).toEqual({ to: 3 })
    expect(treeMove(rows, 1, press('PageUp'))).toEqual({ to: 0 })
    expect(treeMove(rows, -1, press('ArrowDown'))).toEqual({ to: 0 })
    expect(treeMove(rows, 1, press('Enter'))).toEqual({ open: 1 })
    expect(treeMove(rows, 1, press(' '))).toEqual({ open: 1 })
    expect(treeMove([], -1, press('Enter'))).toBeNull()
  })

  it('loads what is open and in sight, and what may have changed, but never a closed branch', () => {
    const open = ['/a/x', '/gone/deep'].reduce((now, path) => withExpanded(now, path, true), tree())
    const stale = new Set(['/a', '/b'])
    expect(foldersToLoad(rowsOf(open), open, new Set())).toEqual(['/a/x'])
    expect(foldersToLoad(rowsOf(open), open, stale)).toEqual(['/a', '/a/x'])
  })

  it('stays the same object when a listing brings the same folders', () => {
    const now = tree()
    expect(withChildren(now, '/a', children('/a', 'x', 'y'))).toBe(now)
    const [x] = children('/a', 'x')
    const silent = [{ path: x?.path ?? '', unreachable: true as const }, { path: '/a/y' }]
    expect(withChildren(now, '/a', silent)).not.toBe(now)
  })

  it('takes the folders of a listing by name, and those on a silent disk with that mark', async () => {
    const entry = (name: string, isDir: boolean, unreachable?: true) => ({
      ...{ path: `/${name}`, name, extension: '', size: 0, modified: '', mode: 0, isDir },
      ...{ isSymlink: false, type: '' as const, ...(unreachable && { unreachable }) },
    })
    const entries = [entry('b10', true), entry('file', false), entry('b9', true, true)]
    expect(await subfoldersOf({ entries })).toEqual([
      { path: '/b9', unreachable: true },
      { path: '/b10' },
    ])
  })
})

describe('the folders beside one', () => {
  it('are all shown when they are few, and those around it when they are many', () => {
    const folders = Array.from({ length: MAX_SIBLINGS * 3 }, (_, i) => ({ path: `/${i}` }))
    expect(siblingsShown(folders.slice(0, 3), '/1')).toEqual({
      shown: folders.slice(0, 3),
      left: 0,
    })
    const { shown, left } = siblingsShown(folders, `/${MAX_SIBLINGS * 2}`)
    expect(shown).toHaveLength(MAX_SIBLINGS)
    expect(shown).toContainEqual({ path: `/${MAX_SIBLINGS * 2}` })
    expect(left).toBe(MAX_SIBLINGS * 2)
    expect(siblingsShown(folders, '/599').shown.at(-1)).toEqual({ path: '/599' })
    expect(siblingsShown(folders, '/0').shown[0]).toEqual({ path: '/0' })
  })
})
