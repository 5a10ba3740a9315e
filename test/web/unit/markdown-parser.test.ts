import { expect, it } from 'vitest'
import { parseMarkdown } from '../../../web/viewers/markdown-parser.ts'

it.each([
  ['*', '*a '.repeat(20_000), 'a*'],
  ['_', '_a '.repeat(20_000), 'a_'],
  ['~~', '~~a '.repeat(20_000), 'a~~'],
  ['*a without blanks', '*a'.repeat(200_000), ''],
  ['* within each other', '*a '.repeat(20_000), 'a* '.repeat(20_000)],
])('takes no minutes for very many %s', (_what, open, close) => {
  const start = performance.now()
  const html = parseMarkdown(`${open}${close}\n\n# next\n`)
  expect(performance.now() - start).toBeLessThan(15_000)
  expect(html).toContain('<h1>next</h1>')
})

it('leaves the emphasis that people write', () => {
  const line = 'A *word*, a **strong one**, ~~gone~~, snake_case_names, 2 * 3 and a lone *star. '
  const html = parseMarkdown(`${line}\n\n`.repeat(2000))
  const shown = '<em>word</em>, a <strong>strong one</strong>, <del>gone</del>'
  expect(html.split(shown)).toHaveLength(2001)
  expect(parseMarkdown('***a** _b **c ~~d~~**_*')).toContain('<em>b <strong>c <del>d</del>')
})

it('keeps a long paragraph whole, with the addresses in it', () => {
  const words = 'Some words that are no marks at all, https://example.org/page and more. '.repeat(
    500,
  )
  const html = parseMarkdown(words)
  const link = '<a href="https://example.org/page">https://example.org/page</a>'
  expect(html.split(link)).toHaveLength(501)
  expect(html.replace(/<[^>]*>/g, '').trim()).toBe(words.trim())
})
