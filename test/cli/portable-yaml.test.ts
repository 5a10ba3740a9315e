import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { toYaml } from '../../src/cli/commands/portable-yaml.ts'
import { parseYaml } from '../../src/config/read-yaml.ts'

test('any value reads back the same', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'yes',
      'No',
      '~',
      'null',
      '8080',
      '0o17',
      '0640',
      '1_000',
      '1e3',
      '1:30',
      '2026-01-02',
      '#x',
      '- a',
      "it's",
      'a: b',
      '.',
      '..',
      '*',
      '&a',
      '!t',
      '|',
      '>',
      '%',
      '@',
      '`',
      '{}',
      '[]',
      'x #y',
      ' lead',
      'trail ',
      'a\nb',
      '\t',
      '?',
      '? a',
      '-',
      '--- x',
      '=',
      '<<',
      'é',
      '😀',
      '\u2028',
      '',
    ),
  )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z_.]{1,8}$/), tie('tree'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(tree, (value) => {
      const yaml = toYaml(value)
      expect(parse(yaml, { logLevel: 'silent' })).toEqual(value)
      expect(parseYaml(yaml)).toEqual(value)
    }),
    { numRuns: 2000 },
  )
})

test('words that older readers take for other types are quoted', () => {
  for (const word of [
    'yes',
    'No',
    'on',
    'OFF',
    'y',
    '8080',
    '1:30',
    '2026-01-02',
    '0o17',
    '0640',
    '1_000',
    'null',
  ]) {
    expect(toYaml({ key: word })).toBe(`key: "${word}"\n`)
  }
  expect(toYaml(['#336699', '.', "it's", '']).split('\n')).toEqual([
    "- '#336699'",
    '- .',
    "- it's",
    '- ""',
    '',
  ])
})
