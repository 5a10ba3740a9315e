import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { addPart, bytesOf, noParts, readParts } from '../../src/files/transfer/parts-file.ts'
import type { TempFile } from '../../src/files/volume/temp-file.ts'
import { makeTree } from '../support/tree.ts'

it('tells where each part is to two that read the same file at once', async () => {
  await using tree = await makeTree({ parts: '' })
  await using handle = await open(tree.at('parts'), 'r+')
  const file: Pick<TempFile, 'read' | 'write'> = {
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    write: async (buffers, position) => void (await handle.writev(buffers, position)),
  }
  const texts = ['one ', 'two ', 'three ', 'four ']
  const written = noParts()
  for (const [i, text] of texts.entries()) {
    const body = { stream: Readable.from([Buffer.from(text)]), signal: undefined }
    await addPart(file, written, { name: `${i}`, sizeBytes: text.length }, body)
  }
  const parts = noParts()
  await Promise.all([readParts(file, parts), readParts(file, parts), readParts(file, parts)])
  expect([...parts.byName.values()]).toEqual([...written.byName.values()])
  const pieces = [...parts.byName.values()].map((part) => ({ part, file }))
  expect((await buffer(bytesOf(pieces))).toString()).toBe(texts.join(''))
})
