// Which files are texts, whatever they are called.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { looksBinary } from '../../web/text/binary.ts'
import { decodeText } from '../../web/text/decode.ts'
import { SAMPLES } from '../support/pictures.ts'
import { textFiles } from '../support/text-files.ts'

const judge = (bytes: Uint8Array) => looksBinary(bytes, decodeText(bytes).encoding)

it('takes texts of every encoding for texts', () => {
  const { 'every-byte.txt': everyByte, ...texts } = textFiles()
  const wrong = Object.entries(texts).filter(([, bytes]) => judge(bytes))
  expect(wrong.map(([name]) => name)).toEqual([])
  expect(everyByte && judge(everyByte)).toBe(true)
})

it('takes films, songs, pictures, fonts and archives for what they are', async () => {
  for (const name of [
    'film.mp4',
    'song.mp3',
    'picture.jpg',
    'letters.woff2',
    'pack.7z',
    'paper.pdf',
  ]) {
    expect(judge(await readFile(join(SAMPLES, name))), name).toBe(true)
  }
})

it('forgives a log its colours, its page breaks and one stray byte', () => {
  const log = `${'\u001b[32mok\u001b[0m one line of the log\f\n'.repeat(50)}\0`
  expect(judge(new TextEncoder().encode(log))).toBe(false)
})

it('takes fields set apart by control characters for a text', () => {
  const fix = '8=FIX.4.4\u00019=65\u000135=A\u000149=ME\u000156=YOU\u000110=062\u0001\n'
  const records = 'name\u001fage\u001eAda\u001f36\u001eAlan\u001f41\u001d'
  for (const text of [fix.repeat(50), records.repeat(50)]) {
    expect(judge(new TextEncoder().encode(text))).toBe(false)
  }
})

it('judges by the encoding the bytes are read in', async () => {
  const utf16 = { name: 'utf-16le', bom: false }
  const cyrillic = new Uint8Array(
    Buffer.from('Съешь же ещё этих мягких булок\n'.repeat(9), 'utf16le'),
  )
  expect(judge(cyrillic)).toBe(true)
  expect(looksBinary(cyrillic, utf16)).toBe(false)
  for (const name of ['picture.jpg', 'song.mp3', 'pack.7z']) {
    expect(looksBinary(await readFile(join(SAMPLES, name)), utf16), name).toBe(true)
  }
})
