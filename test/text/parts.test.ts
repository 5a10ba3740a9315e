import { describe, expect, it } from 'vitest'
import { encodeText } from '../../web/text/encode.ts'
import { PART_BYTES, TextParts } from '../../web/text/parts.ts'

const signal = new AbortController().signal

function partsOf(bytes: Uint8Array) {
  const asked: [number, number][] = []
  const parts = new TextParts(async (start, end) => {
    asked.push([start, end])
    return bytes.slice(start, end).buffer
  }, bytes.length)
  return { parts, asked }
}

function bytesOf(text: string, name = 'utf-8', bom = false): Uint8Array {
  const written = encodeText(text, { name, bom })
  if (!written.ok) throw new Error('cannot be written')
  return written.bytes
}

const lines = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `line ${n} – naïve 日本 😀 ${'x'.repeat(n % 70)}\r\n`,
  ).join('')

describe('a long text in parts', () => {
  it.each([
    ['utf-8', true],
    ['utf-8', false],
    ['utf-16le', true],
    ['utf-16be', true],
  ])('gives the whole %s text forwards and backwards, cut at line ends', async (name, bom) => {
    const text = lines(12_000)
    const { parts } = partsOf(bytesOf(text, name, bom))
    expect(await parts.detect(signal)).toEqual({ name, bom })
    let forwards = ''
    let offset = 0
    while (offset < parts.sizeBytes) {
      const part = await parts.after(offset, signal)
      expect(part.start).toBe(offset)
      expect(part.text.endsWith('\n')).toBe(true)
      forwards += part.text
      offset = part.end
    }
    expect(forwards).toBe(text)
    let backwards = ''
    for (let end = parts.sizeBytes; end > 0; ) {
      const part = await parts.before(end, signal)
      backwards = part.text + backwards
      end = part.start
    }
    expect(backwards).toBe(text)
  })

  it('never reads more than one part at a time', async () => {
    const { parts, asked } = partsOf(bytesOf(lines(20_000)))
    await parts.detect(signal)
    await parts.at(700_000, signal)
    await parts.last(signal)
    for (const [start, end] of asked) expect(end - start).toBeLessThanOrEqual(PART_BYTES)
  })

  it('begins at a whole line wherever it is asked for', async () => {
    const { parts } = partsOf(bytesOf(lines(12_000)))
    await parts.detect(signal)
    for (const offset of [1, 77, 40_001, 400_003]) {
      const part = await parts.at(offset, signal)
      expect(part.start).toBeGreaterThanOrEqual(offset)
      expect(part.text).toMatch(/^line \d+ /)
    }
  })

  it('cuts a single endless line between characters', async () => {
    const text = '日本😀é'.repeat(60_000)
    const { parts } = partsOf(bytesOf(text))
    await parts.detect(signal)
    let whole = ''
    for (let at = 0; at < parts.sizeBytes; ) {
      const part = await parts.after(at, signal)
      whole += part.text
      at = part.end
    }
    expect(whole).toBe(text)
    expect((await parts.at(100_001, signal)).text).not.toContain('\ufffd')
  })

  it('finds a text across the cut between two parts, with its byte offsets', async () => {
    const filler = 'ä'.repeat(PART_BYTES / 2 - 2)
    const text = `${filler}NeedleX${filler}\nneedley`
    const bytes = bytesOf(text)
    const { parts } = partsOf(bytes)
    await parts.detect(signal)
    const seen: number[] = []
    const first = await parts.find('needle', 0, (offset) => seen.push(offset), signal)
    expect(first && new TextDecoder().decode(bytes.slice(first.start, first.end))).toBe('Needle')
    const second = await parts.find('needle', first?.end ?? 0, () => {}, signal)
    expect(second?.start).toBe(bytes.length - 7)
    expect(await parts.find('absent', 0, () => {}, signal)).toBeNull()
    expect(seen.length).toBeGreaterThan(0)
  })

  it('has nothing to show of an empty file', async () => {
    const { parts } = partsOf(new Uint8Array())
    await parts.detect(signal)
    expect(await parts.at(0, signal)).toEqual({ start: 0, end: 0, text: '' })
    expect(await parts.last(signal)).toEqual({ start: 0, end: 0, text: '' })
  })
})
