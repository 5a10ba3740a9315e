import { expect, test } from 'vitest'
import { suggestPassword } from '../../../web/lib/pass-phrase.ts'
import { nothingSelected, selectRow } from '../../../web/shares/selection.ts'
import { readShareAddress, shareHref } from '../../../web/shares/share-address.ts'

const click = { toggle: false, range: false }
const shown = ['/a', '/b', '/c', '/d']

test('addresses of shares keep names with #, ?, % and spaces', () => {
  for (const inner of ['/', '/a#b?c%41 d', '/sub/100%/ü;,']) {
    const address = { hash: 'aZ_-9', inner }
    expect(readShareAddress(shareHref(address))).toEqual(address)
  }
  expect(readShareAddress('/share/')).toBe(null)
  expect(readShareAddress('/files/x')).toBe(null)
  expect(readShareAddress('/share/x/%zz')).toBe(null)
  expect(readShareAddress('/share/x/sub/')).toEqual({ hash: 'x', inner: '/sub' })
})

test('a click chooses one row, a second click lets go of it', () => {
  const one = selectRow(nothingSelected, '/b', click, shown)
  expect([...one.paths]).toEqual(['/b'])
  expect([...selectRow(one, '/c', click, shown).paths]).toEqual(['/c'])
  expect(selectRow(one, '/b', click, shown)).toEqual(nothingSelected)
})

test('Ctrl adds and takes away, Shift chooses all between as the eye sees it', () => {
  const one = selectRow(nothingSelected, '/d', click, shown)
  const range = selectRow(one, '/b', { toggle: false, range: true }, shown)
  expect([...range.paths].sort()).toEqual(['/b', '/c', '/d'])
  const less = selectRow(range, '/c', { toggle: true, range: false }, shown)
  expect([...less.paths].sort()).toEqual(['/b', '/d'])
  const more = selectRow(less, '/a', { toggle: true, range: true }, shown)
  expect([...more.paths].sort()).toEqual(['/a', '/b', '/c', '/d'])
})

test('suggested passwords can be read aloud and do not repeat', () => {
  const many = new Set(Array.from({ length: 200 }, () => suggestPassword()))
  expect(many.size).toBe(200)
  for (const password of many) {
    expect(password).toMatch(
      /^([bdfghjklmnprstvz][aeiou]){2}(-([bdfghjklmnprstvz][aeiou]){2}){2}-\d{3}$/,
    )
  }
})
