import { describe, expect, it } from 'vitest'
import { type ArchiveItem, cleanPath } from '../../../web/viewers/archive/archive-item.ts'
import { folderRows, searchRows } from '../../../web/viewers/archive/archive-tree.ts'
import { kindOf } from '../../../web/viewers/frame/kinds.ts'

function item(path: string, isDir = false): ArchiveItem {
  return { path, isDir, sizeBytes: 1, modified: null, encrypted: false }
}

const items = [item('b10.txt'), item('b2.txt'), item('x/y/z.md'), item('a', true), item('x/k.js')]

describe('the folders of an archive', () => {
  it('are made up from paths, before files, by name', () => {
    expect(folderRows(items, '').map(({ name }) => name)).toEqual(['a', 'x', 'b2.txt', 'b10.txt'])
    expect(folderRows(items, 'x').map(({ path }) => path)).toEqual(['x/y', 'x/k.js'])
    expect(folderRows(items, 'a')).toEqual([])
  })

  it('may be called like members of an object', () => {
    const strange = [item('__proto__/x'), item('constructor'), item('toString/y')]
    expect(folderRows(strange, '').map(({ name }) => name)).toEqual([
      '__proto__',
      'toString',
      'constructor',
    ])
  })

  it('are searched by path, without case', () => {
    expect(searchRows(items, 'Y/Z').map(({ path }) => path)).toEqual(['x/y/z.md'])
  })
})

describe('paths inside an archive', () => {
  it.each([
    ['./a/b', 'a/b'],
    ['/etc/passwd', 'etc/passwd'],
    ['../../up.txt', 'up.txt'],
    ['a/../../b', 'b'],
    ['win\\dows\\x', 'win/dows/x'],
    ['./', ''],
  ])('shows %s as %s', (name, shown) => {
    expect(cleanPath(name)).toBe(shown)
  })
})

describe('the viewer of a file', () => {
  it.each([
    ['photo.HEIC', 'blob', 'image'],
    ['backup.tar.gz', 'blob', 'archive'],
    ['book.epub', 'blob', 'epub'],
    ['plain', 'text', 'text'],
    ['plain', 'blob', 'fallback'],
    ['film.unknown', 'video', 'video'],
    ['.zip', 'text', 'text'],
    ['constructor', 'blob', 'fallback'],
    ['x.constructor', 'blob', 'fallback'],
  ] as const)('of %s with type %s is %s', (name, type, kind) => {
    expect(kindOf({ name, type })).toBe(kind)
  })
})
