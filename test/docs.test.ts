// The papers: what they link to and name is there, and the code points to nothing else.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../scripts/build/paths.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const isThere = (name: string) => existsSync(join(ROOT, name))

const PAPERS = [
  ...['README.md', 'SECURITY.md', 'CHANGELOG.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('reports'))
    .map((name) => join('docs', name)),
]

const CODE = ['src', 'web', 'test', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
)

it.each(PAPERS)('%s links to what is there', (name) => {
  const links = [...read(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, to = '']) => to)
  expect(links.filter((to) => !isThere(join(dirname(name), to)))).toEqual([])
})

it.each(['docs/architecture.md', 'docs/limits.md'])('%s names files that are there', (name) => {
  const named = [...read(name).matchAll(/`([\w./-]+\/[\w.-]*)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(20)
  const lost = named
    .filter((path) => !/^\/|^dist\//.test(path))
    .filter((path) => !['', 'src', 'web'].some((folder) => isThere(join(folder, path))))
  expect(lost).toEqual([])
})

it('comments name sections of docs/http-api.md that are there', () => {
  const sections = new Set(
    [...read('docs/http-api.md').matchAll(/^##+ (\d+(?:\.\d+)?)/gm)].map(([, number]) => number),
  )
  const pointers = CODE.flatMap((name) =>
    [
      ...read(name).matchAll(/docs\/http-api\.md((?:,? (?:\n?(?: \*|\/\/)? ?)?\d+(?:\.\d+)?)+)/g),
    ].flatMap(([, numbers = '']) =>
      [...numbers.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => ({ name, number })),
    ),
  )
  expect(pointers.length).toBeGreaterThan(40)
  expect(pointers.filter(({ number }) => !sections.has(number))).toEqual([])
})

it('comments point to no document that is not in the repository', () => {
  const comments = CODE.flatMap((name) =>
    [...read(name).matchAll(/^\s*(?:\/\/|\/?\*+) .*$/gm)].map(([line]) => ({ name, line })),
  )
  const lost = comments.filter(({ line }) => {
    const named = [...line.matchAll(/(?<!\S)docs\/[\w./-]+\.md/g)].map(([path]) => path)
    return /(?<!docs\/)http-api/.test(line) || named.some((path) => !isThere(path))
  })
  expect(comments.length).toBeGreaterThan(1_000)
  expect(lost).toEqual([])
})
