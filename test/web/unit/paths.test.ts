import { describe, expect, it } from 'vitest'
import {
  filesHref,
  freeName,
  isWithin,
  lineageOf,
  nameProblem,
  parentOf,
  queryOf,
  readFilesPath,
  realFolder,
  searchPath,
  splitName,
  trimPath,
} from '../../../web/lib/paths.ts'
import { findTyped, TypedText } from '../../../web/lib/type-ahead.ts'

const awkward = [
  'a b',
  'a#b',
  'a%23b',
  'a?b',
  '..hidden',
  'new\nline',
  '\u{1f980}',
  'é',
  'e\u0301',
  'a+b&c',
]

describe('paths and addresses', () => {
  it('brings every awkward name back from its address, decoded once', () => {
    for (const name of awkward) {
      const vpath = `/folder/${name}`
      const href = filesHref(vpath, true)
      expect(readFilesPath(new URL(href, 'http://x').pathname)).toBe(vpath)
    }
  })

  it('reads the root and refuses what is elsewhere or malformed', () => {
    expect(readFilesPath('/files')).toBe('/')
    expect(readFilesPath('/files/')).toBe('/')
    expect(readFilesPath('/filesystem')).toBeNull()
    expect(readFilesPath('/files/%ff')).toBeNull()
    expect(trimPath('/a/b//')).toBe('/a/b')
  })

  it('knows parents and descendants on segment boundaries', () => {
    expect(parentOf('/a')).toBe('/')
    expect(lineageOf('/a/b')).toEqual(['/', '/a', '/a/b'])
    expect(isWithin('/a', '/ab')).toBe(false)
    expect(isWithin('/a', '/a/b')).toBe(true)
  })

  it('splits names where people see the extension', () => {
    expect(splitName('a.tar.gz')).toEqual({ stem: 'a', extension: '.tar.gz' })
    expect(splitName('.env')).toEqual({ stem: '.env', extension: '' })
    expect(splitName('note.')).toEqual({ stem: 'note.', extension: '' })
    expect(splitName('a.b.txt')).toEqual({ stem: 'a.b', extension: '.txt' })
  })

  it('numbers a taken name as the server does', () => {
    expect(freeName('c1.txt', false, new Set(['c1.txt', 'c1(1).txt']))).toBe('c1(2).txt')
    expect(freeName('v1.2', true, new Set(['v1.2']))).toBe('v1.2(1)')
    expect(freeName('.env', false, new Set(['.env']))).toBe('.env(1)')
  })

  it('refuses names no folder can hold', () => {
    expect(nameProblem('')).toBe('empty')
    expect(nameProblem('a/b')).toBe('slash')
    expect(nameProblem('..')).toBe('dots')
    expect(nameProblem('é'.repeat(128))).toBe('long')
    expect(nameProblem('..fine')).toBeNull()
  })
})

describe('a search as a folder', () => {
  it('lies below the one that is searched, whose address its own is with the words', () => {
    for (const folder of ['/', '/a', ...awkward.map((name) => `/x/${name}`)]) {
      for (const query of ['dawn', 'two words', 'a/b', 'type:image "a b"', '100%?#&', 'é']) {
        const vpath = searchPath(folder, query)
        expect(parentOf(vpath)).toBe(folder)
        expect(realFolder(vpath)).toBe(folder)
        expect(queryOf(vpath)).toBe(query)
        const { pathname, searchParams } = new URL(filesHref(vpath, true), 'http://x')
        expect(readFilesPath(pathname)).toBe(folder)
        expect(searchParams.get('search')).toBe(query)
      }
    }
  })

  it('is never taken for a folder, nor a folder for it', () => {
    for (const name of awkward) {
      expect(queryOf(`/x/${name}`)).toBeNull()
      expect(realFolder(`/x/${name}`)).toBe(`/x/${name}`)
    }
    expect(queryOf('/')).toBeNull()
  })
})

describe('jumping to a name', () => {
  const names = ['Alpha', 'Ärger', 'beta', 'bravo', 'Zoo']

  it('ignores diacritics and case', () => {
    expect(findTyped(names, 'ar', 0)).toBe(1)
    expect(findTyped(names, 'zo', 0)).toBe(4)
    expect(findTyped(names, 'x', 0)).toBeNull()
  })

  it('walks through the names of one letter', () => {
    expect(findTyped(names, 'b', 0)).toBe(2)
    expect(findTyped(names, 'b', 2)).toBe(3)
    expect(findTyped(names, 'bb', 3)).toBe(2)
    expect(findTyped(names, 'br', 2)).toBe(3)
  })

  it('starts anew after 700 ms', () => {
    const typed = new TypedText()
    expect(typed.add('b', 0)).toBe('b')
    expect(typed.add('r', 700)).toBe('br')
    expect(typed.add('z', 1401)).toBe('z')
  })
})
