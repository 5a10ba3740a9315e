import { expect, it } from 'vitest'
import { parseMarkdown } from '../../../web/viewers/text/markdown-parser.ts'
import { cpuMs } from '../../support/cpu-time.ts'

it.each([
  ['*', '*a '.repeat(20_000), 'a*'],
  ['_', '_a '.repeat(20_000), 'a_'],
  ['~~', '~~a '.repeat(20_000), 'a~~'],
  ['*a without blanks', '*a'.repeat(200_000), ''],
  ['* within each other', '*a '.repeat(20_000), 'a* '.repeat(20_000)],
])('takes no minutes for very many %s', (_what, open, close) => {
  let html = ''
  const takenMs = cpuMs(() => {
    html = parseMarkdown(`${open}${close}\n\n# next\n`)
  })
  expect(takenMs).toBeLessThan(15_000)
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

it.each([
  ['a formula', 'Let $a^2$ be.', 'Let <code class="language-math">a^2</code> be.'],
  ['marks of emphasis in it', '$a_1*b*c_1$', '<code class="language-math">a_1*b*c_1</code>'],
  ['markup in it', '$a<b&c$', '<code class="language-math">a&lt;b&amp;c</code>'],
  ['GitHub’s other form', '$`a`$', '<code class="language-math">a</code>'],
  ['one in lines of its own', 'x:\n\n$$\na\n- b\n$$\ny', '<pre><code class="language-math">a\n- b'],
  [
    'one at the start of what follows words',
    'x y\n\n$a$',
    '<p><code class="language-math">a</code>',
  ],
  ['one in a table', '|a|\n|-|\n|$a$|', '<td><code class="language-math">a</code></td>'],
  ['one right after words', 'x:\n$$\na\n$$', '<code class="language-math-display">\na\n</code>'],
  ['a large one among words', 'x $$a$$ y', 'x <code class="language-math-display">a</code> y'],
])('finds %s', (_what, text, html) => {
  expect(parseMarkdown(text)).toContain(html)
})

it.each([
  'It costs $5 and $6.',
  'Either US$5 or A$6, 5$ or 6$, $5/$6.',
  'Say $5 or 6$.',
  '$HOME:$PATH and $HOME/$USER',
  'Escaped \\$a$ and `$a$`.',
  '$ a$ $a $',
  '$$',
])('leaves the dollars of “%s” text', (text) => {
  expect(parseMarkdown(text)).not.toContain('language-math')
})

it.each([
  ['signs', '$a '],
  ['pairs of signs', '$$a '],
  ['lines', '$$a\n'],
  ['paragraphs', 'word\n\n'],
  ['escaped signs', '$a\\$ '],
])('takes no longer than the text is for very many %s', (_what, part) => {
  parseMarkdown(part.repeat(1000))
  const timed = (count: number) => {
    const text = part.repeat(count)
    return Math.min(...[1, 2, 3].map(() => cpuMs(() => parseMarkdown(text))))
  }
  expect(timed(40_000)).toBeLessThan(200 + 20 * timed(4000))
})
