// Node carries what ICU knows of some 900 locales, for `Intl`. The server speaks to people through the page alone
// and sorts by code points: of all that it needs encodings, normal forms, time zones and English.
// The form of the data: https://github.com/unicode-org/icu/blob/main/icu4c/source/common/ucmndata.h
import { cutOut } from './elf-gap.ts'

const NEEDED_LOCALE = /^(?:en|root)$/
/** Encodings that `TextDecoder` does not know: of mainframes, of X11, and of ISO 2022 for Chinese. */
const OTHER_ENCODING =
  /^icudt\d+l\/(?:euc-tw|cns-11643|iso-ir-165|icu-internal-compound|ibm-(?:930|933|935|964|1364|1371|1388|1390)_).*\.cnv$/
/** `icudt78l/curr/de_AT.res`: the locale is de_AT. */
const OF_LOCALE = /^icudt\d+l\/(?:\w+\/)?([a-z]{2,3}(?:_\w+)?|root)\.res$/
/** For breaking lines of Thai and the like, writing names of one script in another, and names of characters. */
const NEVER_NEEDED = /^icudt\d+l\/(?:brkitr\/\w+\.dict|translit\/\w+\.res|unames\.icu)$/

const HEADER_MARK_AT = 12

interface Item {
  name: string
  /** From the table on. */
  nameAt: number
  start: number
  end: number
}

/** True for what stays. */
export function isNeeded(name: string): boolean {
  const [, locale] = OF_LOCALE.exec(name) ?? []
  if (NEVER_NEEDED.test(name) || OTHER_ENCODING.test(name)) return false
  return locale === undefined || NEEDED_LOCALE.test(locale)
}

/** A Node binary for Linux without the data of ICU that nothing asks for. */
export function trimIcuData(binary: Buffer): Buffer {
  const file = Buffer.from(binary)
  const table = findTable(file)
  const items = readItems(file, table)
  const last = items.at(-1)
  const first = items[0]
  if (!first || !last) throw new Error('ICU has no data in this binary')
  // The length of the last one stands nowhere, so it keeps its place.
  const kept = items.filter((item) => item !== last && isNeeded(item.name))
  let at = first.start
  const entries: Item[] = []
  for (const item of kept) {
    file.copyWithin(table + at, table + item.start, table + item.end)
    entries.push({ ...item, start: at })
    at += item.end - item.start
  }
  if (isNeeded(last.name)) entries.push(last)
  file.writeUInt32LE(entries.length, table)
  for (const [i, { nameAt, start }] of entries.entries()) {
    file.writeUInt32LE(nameAt, table + 4 + i * 8)
    file.writeUInt32LE(start, table + 8 + i * 8)
  }
  file.fill(0, table + at, table + last.start)
  return cutOut(file, table + at, table + last.start)
}

/** Names of all items in a binary. */
export function icuItems(binary: Buffer): string[] {
  return readItems(binary, findTable(binary)).map(({ name }) => name)
}

function findTable(file: Buffer): number {
  for (let at = file.indexOf('CmnD'); at >= 0; at = file.indexOf('CmnD', at + 1)) {
    const header = at - HEADER_MARK_AT
    if (header >= 0 && file.readUInt16LE(header + 2) === 0x27da)
      return header + file.readUInt16LE(header)
  }
  throw new Error('no data of ICU in this binary')
}

function readItems(file: Buffer, table: number): Item[] {
  const count = file.readUInt32LE(table)
  return Array.from({ length: count }, (_, i) => {
    const nameAt = file.readUInt32LE(table + 4 + i * 8)
    const start = file.readUInt32LE(table + 8 + i * 8)
    const end = i + 1 < count ? file.readUInt32LE(table + 16 + i * 8) : start
    const nameEnd = file.indexOf(0, table + nameAt)
    return { name: file.toString('latin1', table + nameAt, nameEnd), nameAt, start, end }
  })
}
