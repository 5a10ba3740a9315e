import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { emptyFile } from '../../../web/prompts/templates/templates.ts'
import { listZip, readZipEntry } from '../../../web/viewers/archive/zip-reader.ts'

/** The parts of an Office file by name, as texts. */
async function partsOf(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, string>> {
  const read = (start: number, end: number) => Promise.resolve(bytes.slice(start, end).buffer)
  const { entries } = await listZip(read, bytes.length, 100)
  const parts = new Map<string, string>()
  for (const entry of entries) {
    parts.set(entry.name, new TextDecoder().decode(await readZipEntry(read, entry, 1e6)))
  }
  return parts
}

describe('empty files', () => {
  it.each(['docx', 'xlsx'] as const)(
    '%s: each part is well formed, and named where it is used',
    async (kind) => {
      const parts = await partsOf(emptyFile(kind) as Uint8Array<ArrayBuffer>)
      for (const [name, text] of parts) {
        expect(() => new SaxesParser({ xmlns: true }).write(text).close(), name).not.toThrow()
      }
      const all = [...parts.values()].join('')
      const targets = [...all.matchAll(/Target="([^"]+)"/g)].map(([, target]) => target ?? '')
      const overrides = [...all.matchAll(/PartName="\/([^"]+)"/g)].map(([, name]) => name ?? '')
      for (const target of targets) {
        expect(
          [...parts.keys()].some((name) => name.endsWith(target)),
          target,
        ).toBe(true)
      }
      expect(targets.length).toBeGreaterThan(0)
      for (const name of overrides) expect([...parts.keys()]).toContain(name)
    },
  )

  it('txt and md are without a byte', () => {
    expect([emptyFile('txt'), emptyFile('md')]).toEqual(['', ''])
  })
})
