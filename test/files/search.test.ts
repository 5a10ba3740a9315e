import { symlink } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseQuery, search } from '../../src/files/listing/search.ts'
import type { VPath } from '../../src/lib/vpath.ts'
import { openScope } from '../support/archives.ts'
import { makeTree } from '../support/tree.ts'

describe('a query', () => {
  it.each([
    ['', 'anything', true],
    ['epo', 'Report.txt', true],
    ['REPORT', 'report.txt', true],
    ['case:sensitive Report', 'Report.txt', true],
    ['case:sensitive Report', 'report.txt', false],
    ['Report case:sensitive', 'report.txt', false],
    ['case:insensitive REPORT', 'report.txt', true],
    ['report photo', 'photo.jpg', true],
    ['report photo', 'song.mp3', false],
    ['report  photo', 'song.mp3', true],
    ['"annual report"', 'annual report.pdf', true],
    ['"annual report"', 'report, annual.pdf', false],
    ['"', 'anything', true],
    ['"annual', '"annual', true],
    ['"annual', 'annual', false],
    ['type:image', 'pic.PNG', true],
    ['type:image', 'pic.txt', false],
    ['type:audio', 'song.mp3', true],
    ['type:music', 'song.mp3', true],
    ['type:video', 'film.mp4', true],
    ['type:txt', 'a.txt', true],
    ['type:txt', 'a.TXT', false],
    ['type:TXT', 'a.TXT', true],
    ['type:image type:video', 'film.mp4', true],
    ['type:txt report', 'report.pdf', false],
    ['report type:pdf photo', 'photo.pdf', true],
    ['a.c', 'abc', false],
    ['*', 'star*.txt', true],
    ['É', 'été.txt', true],
    ['  report ', 'report', true],
  ])('%j on %j: %s', (query, name, expected) => {
    expect(parseQuery(query)(name)).toBe(expected)
  })
})

describe('a query of which everything must match', () => {
  it.each([
    ['report annual', 'Annual report 2025.pdf', true],
    ['report kyoto', 'Annual report 2025.pdf', false],
    ['muller', 'Müller.txt', true],
    ['müller', 'Muller.txt', true],
    ['cafe', 'Cafe\u0301.jpg', true],
    ['CAFÉ', 'cafe\u0301.jpg', true],
    ['strasse', 'Lange Straße.txt', true],
    ['κοσμος', 'Κόσμος.txt', true],
    ['istanbul', 'İstanbul.jpg', true],
    ['ガ', 'カ.txt', false],
    ['case:sensitive café', 'cafe\u0301.jpg', true],
    ['case:sensitive cafe', 'Cafe.jpg', false],
    ['"annual report" 2025', 'Annual report 2025.pdf', true],
    ['"report annual"', 'Annual report 2025.pdf', false],
    ['  ', 'anything', true],
    ['type:pdf annual', 'Annual report 2025.pdf', true],
    ['type:pdf annual', 'annual.txt', false],
  ])('%j on %j: %s', (query, name, expected) => {
    expect(parseQuery(query, { all: true })(name)).toBe(expected)
  })
})

async function find(root: string, query: string, { base = '/', deny = '', details = false } = {}) {
  const scope = openScope(root, (vpath) => deny === '' || !`${vpath}/`.startsWith(`${deny}/`))
  const options = { signal: new AbortController().signal, details }
  const hits = []
  for await (const batch of search(scope, base as VPath, parseQuery(query), options))
    hits.push(...batch)
  return hits
}

it('finds depth first in byte order, relative to the base', async () => {
  await using tree = await makeTree({
    'a/b/x1': '',
    'a/x2': '',
    'x3/x4': '',
    'B/x5': '',
    '\u{1f600}x': '',
    '\uffeex': '',
  })
  expect((await find(tree.root, 'x')).map(({ path }) => path)).toEqual([
    'B/x5',
    'a/b/x1',
    'a/x2',
    'x3',
    'x3/x4',
    '\uffeex',
    '\u{1f600}x',
  ])
  expect(await find(tree.root, 'x', { base: '/a' })).toEqual([
    { dir: false, path: 'b/x1' },
    { dir: false, path: 'x2' },
  ])
})

it('says nothing about a missing base or a file', async () => {
  await using tree = await makeTree({ 'a.txt': '' })
  for (const base of ['/none', '/a.txt', '/a.txt/b', `/${'n'.repeat(300)}`])
    expect(await find(tree.root, '', { base }), base).toEqual([])
})

it('reports links inside the scope without following them, and none that lead out', async () => {
  await using tree = await makeTree({ 'folder/x.txt': '' })
  await symlink('folder', tree.at('link-x'))
  await symlink('nowhere', tree.at('dangling-x'))
  await symlink(tree.outside, tree.at('out-x'))
  await symlink('ring-x', tree.at('ring-x'))
  expect(await find(tree.root, 'x')).toEqual([
    { dir: false, path: 'dangling-x' },
    { dir: false, path: 'folder/x.txt' },
    { dir: false, path: 'link-x' },
  ])
})

it('hides what a rule denies and finds what a later rule allows inside it', async () => {
  await using tree = await makeTree({ 'd/priv-x': '', 'd/pub/x': '', 'x/y': '' })
  const allow = (vpath: string) =>
    !`${vpath}/`.startsWith('/d/') || `${vpath}/`.startsWith('/d/pub/')
  const scope = openScope(tree.root, allow)
  const hits = []
  const options = { signal: new AbortController().signal, details: false }
  for await (const batch of search(scope, '/' as VPath, () => true, options)) hits.push(...batch)
  expect(hits.map(({ path }) => path)).toEqual(['d/pub', 'd/pub/x', 'x', 'x/y'])
})

it('judges a base that is a link by where it leads, too', async () => {
  await using tree = await makeTree({ 'd/secret/x': '', 'd/open/x': '' })
  await symlink('d', tree.at('door'))
  const hits = await find(tree.root, 'x', { base: '/door', deny: '/d/secret' })
  expect(hits).toEqual([{ dir: false, path: 'open/x' }])
})

it('adds size and time when asked', async () => {
  await using tree = await makeTree({ 'a.txt': 'four' })
  const [hit] = await find(tree.root, 'a', { details: true })
  expect(hit).toMatchObject({ dir: false, path: 'a.txt', size: 4 })
  expect(hit?.modified).toMatch(/^\d{4}-\d\d-\d\dT/)
})
