import { readFile } from 'node:fs/promises'
import { deflateRawSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { deflateBlock } from '../../src/files/archive/deflated-block.ts'

it('text comes to at most a twentieth more than with the usual effort', async () => {
  const text = await readFile(new URL('../../CHANGELOG.md', import.meta.url))
  const packed = await deflateBlock(text)
  expect(packed.length).toBeLessThan(deflateRawSync(text, { level: 6 }).length * 1.05)
})
