import { expect, it } from 'vitest'
import { type OutlineItem, withinLimits } from '../../../web/viewers/pdf/pdf-outline-items.ts'

const item = (title: string, items: OutlineItem[] = []): OutlineItem => ({ title, dest: [], items })

/** Titles in reading order. */
function titles(items: readonly OutlineItem[]): string[] {
  return items.flatMap(({ title, items: inner }) => [title, ...titles(inner)])
}

it('keeps the contents of every real paper as they are', () => {
  const contents = [item('one', [item('one.one', [item('one.one.one')])]), item('two')]
  expect(withinLimits(contents)).toEqual(contents)
})

it('leaves out what is too much, whether side by side or within each other', () => {
  const many = (title: string) => Array.from({ length: 4000 }, (_, i) => item(`${title} ${i}`))
  const shown = titles(withinLimits([item('first', many('first')), item('second', many('second'))]))
  expect(shown).toHaveLength(5000)
  expect(shown.at(-1)).toBe('second 997')

  let deep = item('level 99')
  for (let level = 98; level >= 0; level--) deep = item(`level ${level}`, [deep])
  expect(titles(withinLimits([deep]))).toHaveLength(9)
})
