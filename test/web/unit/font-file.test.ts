import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readFontFacts } from '../../../web/viewers/font/font-file.ts'
import { SAMPLES } from '../../support/pictures.ts'

const ttf = readFileSync(join(SAMPLES, 'letters.ttf'))

function buffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

/** The same font as WOFF: every table compressed by itself. */
function toWoff(font: Buffer): Buffer {
  const count = font.readUInt16BE(4)
  const head = Buffer.alloc(44)
  head.write('wOFF')
  head.writeUInt16BE(count, 12)
  const directory: Buffer[] = []
  const tables: Buffer[] = []
  let offset = 44 + count * 20
  for (let index = 0; index < count; index++) {
    const at = 12 + index * 16
    const table = font.subarray(
      font.readUInt32BE(at + 8),
      font.readUInt32BE(at + 8) + font.readUInt32BE(at + 12),
    )
    const packed = deflateSync(table)
    const record = Buffer.alloc(20)
    font.copy(record, 0, at, at + 4)
    record.writeUInt32BE(offset, 4)
    record.writeUInt32BE(packed.length, 8)
    record.writeUInt32BE(table.length, 12)
    directory.push(record)
    tables.push(packed)
    offset += packed.length
  }
  return Buffer.concat([head, ...directory, ...tables])
}

describe('facts of a font', () => {
  it('reads names and characters of TrueType', async () => {
    const { family, style, characters } = await readFontFacts(buffer(ttf))
    expect([family, style]).toEqual(['DejaVu Sans Mono', 'Bold Oblique'])
    expect(characters).toContain(0x41)
    expect(characters).toContain(0x3b1)
    expect(characters).not.toContain(0x4e00)
  })

  it('reads the same from WOFF', async () => {
    expect(await readFontFacts(buffer(toWoff(ttf)))).toEqual(await readFontFacts(buffer(ttf)))
  })

  it('leaves out what a damaged font does not tell', async () => {
    for (const length of [0, 3, 20, 100, 400]) {
      const facts = await readFontFacts(buffer(ttf.subarray(0, length)))
      expect(facts.characters ?? []).toEqual([])
    }
  })
})
