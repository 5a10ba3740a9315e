// Text files in every way people's programs have written them: encodings, marks, line ends.

import { encodeText } from '../../web/text/encode.ts'

const letters: Record<string, string> = {
  latin: 'Grüße aus Zürich – naïve café, Ærøskøbing, ½ ©',
  ascii: 'Plain words, numbers 0123456789 and {signs} <only>',
  central: 'Zażółć gęślą jaźń, Příliš žluťoučký kůň',
  cyrillic: 'Съешь же ещё этих мягких французских булок',
  greek: 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία',
  turkish: 'Pijamalı hasta yağız şoföre çabucak güvendi',
  japanese: '日本語のテキストです。カタカナも、ひらがなも。',
  simplified: '天地玄黄，宇宙洪荒。',
  traditional: '天地玄黃，宇宙洪荒。',
  korean: '다람쥐 헌 쳇바퀴에 타고파',
  hebrew: 'דג סקרן שט בים מאוכזב',
  emoji: 'Zoë 😀 日本 \u2028 e\u0301 \ufeff end',
}

/** Name of the encoding, whether it has a mark, and what is written in it. */
const spellings: readonly [name: string, bom: boolean, text: string][] = [
  ['utf-8', false, 'emoji'],
  ['utf-8', true, 'emoji'],
  ['utf-16le', true, 'emoji'],
  ['utf-16be', true, 'emoji'],
  ['utf-16le', false, 'ascii'],
  ['utf-16be', false, 'ascii'],
  ['windows-1252', false, 'latin'],
  ['windows-1250', false, 'central'],
  ['windows-1251', false, 'cyrillic'],
  ['windows-1253', false, 'greek'],
  ['windows-1254', false, 'turkish'],
  ['windows-1255', false, 'hebrew'],
  ['iso-8859-2', false, 'central'],
  ['iso-8859-5', false, 'cyrillic'],
  ['iso-8859-7', false, 'greek'],
  ['koi8-r', false, 'cyrillic'],
  ['shift_jis', false, 'japanese'],
  ['gbk', false, 'simplified'],
  ['big5', false, 'traditional'],
  ['euc-kr', false, 'korean'],
]

const shapes: Record<string, (line: string) => string> = {
  lf: (line) => `${line}\n\n${line}\n`,
  crlf: (line) => `${line}\r\n\r\n${line}\r\n`,
  cr: (line) => `${line}\r\r${line}\r`,
  mixed: (line) => `${line}\r\n${line}\n\r\n\r${line}\r\n\n${line}\r\n${line}\r`,
  'no-end': (line) => `${line}\n${line}`,
  'crlf-no-end': (line) => `${line}\r\n${line}\r\n${line}`,
  'one-line': (line) => line,
  tabs: (line) => `\t${line}\t \r\n\t\t${line}  \n`,
  blank: () => '\r\n\n\r\n',
  long: (line) => `${`${line} `.repeat(400)}\r\n`.repeat(3),
}

/** 200 files of all encodings and line ends, by name; and a few that are no proper text at all. */
export function textFiles(): Record<string, Uint8Array> {
  const files: Record<string, Uint8Array> = {}
  for (const [name, bom, text] of spellings) {
    for (const [shape, write] of Object.entries(shapes)) {
      const encoded = encodeText(write(letters[text] ?? ''), { name, bom })
      if (!encoded.ok) throw new Error(`${name} cannot hold the sample ${text}`)
      files[`${name}${bom ? '-bom' : ''}-${shape}.txt`] = encoded.bytes
    }
  }
  files['every-byte.txt'] = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  files['empty.txt'] = new Uint8Array()
  files['mark-only.txt'] = Uint8Array.of(0xef, 0xbb, 0xbf)
  files['two-marks.txt'] = Uint8Array.of(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x0a)
  files['mark-and-stray-byte.txt'] = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xe9, 0x62, 0x0a)
  files['mark-and-cut.txt'] = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xe2, 0x82)
  files['mark-and-surrogate.txt'] = Uint8Array.of(0xef, 0xbb, 0xbf, 0xed, 0xa0, 0x80)
  files['stray-byte.txt'] = Uint8Array.of(0xc3, 0xa9, 0x61, 0xff, 0x0a)
  files['odd-utf16.txt'] = Uint8Array.of(0xff, 0xfe, 0x61, 0x00, 0x62)
  files['lone-surrogate.txt'] = Uint8Array.of(0xff, 0xfe, 0x00, 0xd8, 0x61, 0x00)
  files['cut-utf8.txt'] = Uint8Array.of(0x61, 0xe2, 0x82)
  return files
}
