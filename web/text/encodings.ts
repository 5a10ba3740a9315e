// The character encodings we read and write: names as the WHATWG Encoding Standard has them, so that
// the browser's own decoder does the reading. What it lacks, writing, is in encode.ts.

export interface TextEncoding {
  /** Name in the Encoding Standard, lower case, e.g. `utf-8`, `windows-1252`. */
  name: string
  /** True when the file begins with a byte order mark, which is kept on save. */
  bom: boolean
}

export const UTF8: TextEncoding = { name: 'utf-8', bom: false }

/** Choices offered to people, grouped by region; `windows-1252` covers ISO 8859-1. */
export const encodingGroups = [
  { group: 'unicode', names: ['utf-8', 'utf-16le', 'utf-16be'] },
  { group: 'western', names: ['windows-1252', 'iso-8859-15', 'macintosh', 'iso-8859-14'] },
  { group: 'central', names: ['windows-1250', 'iso-8859-2', 'iso-8859-16', 'iso-8859-3'] },
  { group: 'baltic', names: ['windows-1257', 'iso-8859-13', 'iso-8859-4', 'iso-8859-10'] },
  {
    group: 'cyrillic',
    names: ['windows-1251', 'koi8-r', 'koi8-u', 'iso-8859-5', 'ibm866', 'x-mac-cyrillic'],
  },
  { group: 'greek', names: ['windows-1253', 'iso-8859-7'] },
  { group: 'turkish', names: ['windows-1254'] },
  {
    group: 'hebrewArabic',
    names: ['windows-1255', 'iso-8859-8', 'windows-1256', 'iso-8859-6'],
  },
  { group: 'thaiVietnamese', names: ['windows-874', 'windows-1258'] },
  { group: 'chinese', names: ['gb18030', 'gbk', 'big5'] },
  { group: 'japanese', names: ['shift_jis', 'euc-jp', 'iso-2022-jp'] },
  { group: 'korean', names: ['euc-kr'] },
] as const

export type EncodingGroup = (typeof encodingGroups)[number]['group']

const displayNames: Record<string, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  'windows-1252': 'Windows-1252 (Latin-1)',
  'windows-874': 'Windows-874',
  macintosh: 'Mac Roman',
  'x-mac-cyrillic': 'Mac Cyrillic',
  'koi8-r': 'KOI8-R',
  'koi8-u': 'KOI8-U',
  ibm866: 'IBM 866',
  gb18030: 'GB 18030',
  gbk: 'GBK',
  big5: 'Big5',
  shift_jis: 'Shift JIS',
  'euc-jp': 'EUC-JP',
  'iso-2022-jp': 'ISO-2022-JP',
  'euc-kr': 'EUC-KR',
}

/** The encoding's proper name, which is the same in every language. */
export function encodingLabel(encoding: TextEncoding): string {
  const label =
    displayNames[encoding.name] ??
    encoding.name.replace(/^windows-/, 'Windows-').replace(/^iso-8859-/, 'ISO 8859-')
  return encoding.name === 'utf-8' && encoding.bom ? `${label} BOM` : label
}

/** The byte order mark of an encoding, empty for those that have none. */
export function bomOf(name: string): readonly number[] {
  if (name === 'utf-8') return [0xef, 0xbb, 0xbf]
  if (name === 'utf-16le') return [0xff, 0xfe]
  return name === 'utf-16be' ? [0xfe, 0xff] : []
}
