// The check of the catalogues: what `npm run i18n -- --check` refuses.
import { describe, expect, it } from 'vitest'
import { faultsOf, isBareWord, isUnexplained } from '../../scripts/build/message-rules.ts'

const files = '{count, plural, one {# file} other {# files}}'

describe('a translation', () => {
  it.each([
    ['Open <0>{name}</0>', '<0>{name}</0> öffnen', 'de'],
    [files, '{count, plural, one {# Datei} other {# Dateien}}', 'de'],
    [files, '{count, plural, other {# 個のファイル}}', 'ja'],
    [files, '{count, plural, =0 {Keine} one {# fil} other {# filer}}', 'no'],
  ])('is right: %s, %s', (message, translation, locale) => {
    expect(faultsOf({ message, translation }, locale)).toEqual([])
  })

  it.each([
    ['Open', '', 'de', 'is not translated'],
    ['Open {name}', '{Name} öffnen', 'de', 'has other placeholders than the English text'],
    ['Open {name}', 'Öffnen', 'de', 'has other placeholders than the English text'],
    ['Open <0>{name}</0>', '<0>{name} öffnen', 'de', 'has other tags than the English text'],
    ['Open {name}', '{name öffnen', 'de', 'does not parse'],
    [
      files,
      '{count, plural, one {# plik} other {# pliku}}',
      'pl',
      'lacks the plural few, many of {count}',
    ],
    [files, '{count, plural, one {# 個} other {# 個}}', 'ja', 'has the plural one of {count}'],
    [files, '{count} Dateien', 'de', 'has other plurals than the English text'],
  ])('is wrong: %s, %s', (message, translation, locale, fault) => {
    expect(faultsOf({ message, translation }, locale)).toContain(fault)
  })
})

describe('a text of one word', () => {
  it.each(['Space', 'Loading…', 'Compress…', 'delete'])('%s', (text) => {
    expect(isBareWord(text)).toBe(true)
  })

  it.each(['Open file', '{count} KiB', '{size} px', '{percent}%', '…'])('is not %s', (text) => {
    expect(isBareWord(text)).toBe(false)
  })

  it('needs a context or a comment that says what it means', () => {
    expect(isUnexplained({ message: 'Space' })).toBe(true)
    expect(isUnexplained({ message: 'Space', comments: ['placeholder {0}: size'] })).toBe(true)
    expect(isUnexplained({ message: 'Space', comments: ['the sign between columns'] })).toBe(false)
    expect(isUnexplained({ message: 'Space', context: 'key' })).toBe(false)
  })
})
