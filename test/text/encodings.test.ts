import { describe, expect, it } from 'vitest'
import { decodeAs, decodeText, detectEncoding, writesBack } from '../../web/text/decode.ts'
import { encodeText } from '../../web/text/encode.ts'
import { encodingGroups, encodingLabel } from '../../web/text/encodings.ts'

const bytesOf = (...bytes: number[]) => new Uint8Array(bytes)
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('detecting an encoding', () => {
  it('takes plain ASCII and an empty file for UTF-8 without a mark', () => {
    expect(detectEncoding(utf8('hello\n'))).toEqual({ name: 'utf-8', bom: false })
    expect(detectEncoding(bytesOf())).toEqual({ name: 'utf-8', bom: false })
  })

  it('sees each byte order mark', () => {
    expect(detectEncoding(bytesOf(0xef, 0xbb, 0xbf, 0x61))).toEqual({ name: 'utf-8', bom: true })
    expect(detectEncoding(bytesOf(0xff, 0xfe, 0x61, 0))).toEqual({ name: 'utf-16le', bom: true })
    expect(detectEncoding(bytesOf(0xfe, 0xff, 0, 0x61))).toEqual({ name: 'utf-16be', bom: true })
  })

  it('sees UTF-16 without a mark by its zero bytes', () => {
    const le = utf8('plain text in UTF-16\r\n'.replace(/./gs, (c) => `${c}\0`))
    const be = utf8('plain text in UTF-16\r\n'.replace(/./gs, (c) => `\0${c}`))
    expect(detectEncoding(le)).toEqual({ name: 'utf-16le', bom: false })
    expect(detectEncoding(be)).toEqual({ name: 'utf-16be', bom: false })
  })

  it('takes bytes that are not UTF-8 for Windows-1252', () => {
    expect(detectEncoding(bytesOf(0x63, 0x61, 0x66, 0xe9))).toEqual({
      name: 'windows-1252',
      bom: false,
    })
  })

  it('does not count a character cut at the end of a part against UTF-8', () => {
    const cut = utf8('naïve café').slice(0, -1)
    expect(detectEncoding(cut, true).name).toBe('utf-8')
    expect(detectEncoding(cut, false).name).toBe('windows-1252')
  })
})

describe('reading and writing back', () => {
  const everyByte = Uint8Array.from({ length: 256 }, (_, byte) => byte)

  it('gives every single-byte encoding its bytes back, where a byte means a character', () => {
    const ofOneByte = /^(windows-|iso-8859-|koi8-|macintosh|x-mac-|ibm866)/
    const names = encodingGroups.flatMap((group) => [...group.names])
    for (const name of names.filter((each) => ofOneByte.test(each))) {
      const meant = everyByte.filter(
        (byte) => decodeAs(bytesOf(byte), { name, bom: false }) !== '\ufffd',
      )
      expect(meant.length, name).toBeGreaterThan(180)
      expect(
        writesBack(decodeAs(meant, { name, bom: false }), { name, bom: false }, meant),
        name,
      ).toBe(true)
    }
  })

  it('keeps all 256 bytes when a file is no text at all', () => {
    const { text, encoding } = decodeText(everyByte)
    expect(encoding.name).toBe('windows-1252')
    expect(encodeText(text, encoding)).toEqual({ ok: true, bytes: everyByte })
  })

  it.each([
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x0a], '日本語\n'],
    ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc, 0x8f, 0xb0, 0xa1], '日本丂'],
    ['gbk', [0xd6, 0xd0, 0xce, 0xc4], '中文'],
    ['big5', [0xa4, 0xa4, 0xa4, 0xe5], '中文'],
    ['euc-kr', [0xc7, 0xd1, 0xb1, 0xdb], '한글'],
    ['koi8-r', [0xf0, 0xd2, 0xc9], 'При'],
    ['windows-1251', [0xcf, 0xf0, 0xe8], 'При'],
  ])('writes %s as it reads it', (name, codes, text) => {
    const encoding = { name, bom: false }
    expect(decodeAs(bytesOf(...codes), encoding)).toBe(text)
    expect(encodeText(text, encoding)).toEqual({ ok: true, bytes: bytesOf(...codes) })
  })

  it('keeps lone surrogates of UTF-16, and an odd last byte by falling back', () => {
    const lone = bytesOf(0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8, 0x62, 0x00)
    const read = decodeText(lone)
    expect(read.encoding).toEqual({ name: 'utf-16le', bom: true })
    expect(encodeText(read.text, read.encoding)).toEqual({ ok: true, bytes: lone })
    const odd = bytesOf(0xff, 0xfe, 0x61, 0x00, 0x62)
    const fallback = decodeText(odd)
    expect(encodeText(fallback.text, fallback.encoding)).toEqual({ ok: true, bytes: odd })
  })

  it('keeps a second byte order mark as a character of the text', () => {
    const bytes = bytesOf(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61)
    const { text, encoding } = decodeText(bytes)
    expect(text).toBe('\ufeffa')
    expect(encodeText(text, encoding)).toEqual({ ok: true, bytes })
  })
})

describe('characters an encoding cannot hold', () => {
  it('names the first one, where it is, and how many there are', () => {
    expect(encodeText('a → b → c', { name: 'windows-1252', bom: false })).toEqual({
      ok: false,
      reason: 'unencodable',
      character: '→',
      position: 2,
      count: 2,
    })
    expect(encodeText('ok 😀', { name: 'iso-8859-2', bom: false })).toMatchObject({
      ok: false,
      character: '😀',
      position: 3,
      count: 1,
    })
  })

  it('refuses half a surrogate pair in UTF-8 and does not write a replacement', () => {
    expect(encodeText('a\ud800b', { name: 'utf-8', bom: false })).toMatchObject({
      ok: false,
      position: 1,
    })
  })

  it('says that a stateful encoding is only read', () => {
    expect(encodeText('a', { name: 'iso-2022-jp', bom: false })).toEqual({
      ok: false,
      reason: 'read-only',
    })
  })
})

describe('names', () => {
  it('offers no encoding that the decoder does not know, and labels each differently', () => {
    const names = encodingGroups.flatMap((group) => group.names)
    for (const name of names) expect(() => new TextDecoder(name), name).not.toThrow()
    expect(new Set(names.map((name) => encodingLabel({ name, bom: false }))).size).toBe(
      names.length,
    )
    expect(encodingLabel({ name: 'utf-8', bom: true })).toBe('UTF-8 BOM')
    expect(encodingLabel({ name: 'iso-8859-15', bom: false })).toBe('ISO 8859-15')
  })
})
