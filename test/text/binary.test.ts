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
