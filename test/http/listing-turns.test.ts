// A folder is sent in turns of the event loop, also to a client that takes everything at once.
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createLargeFolders } from '../../src/files/listing/large-folders.ts'
import { createSniffedTypes } from '../../src/files/listing/sniffed-types.ts'
import { answerOf, isStreamed } from '../../src/http/answer.ts'
import { sendFolder } from '../../src/http/listing-response.ts'
import { createBuffers } from '../../src/lib/buffers.ts'
import { ROOT } from '../../src/lib/vpath.ts'
import { scopeOf } from '../support/scope.ts'
import { makeTree } from '../support/tree.ts'
import { countTurns } from '../support/turns.ts'

const FILES = 20_000

it('others have turns while a large folder is sent', async () => {
  await using tree = await makeTree({})
  for (let i = 0; i < FILES; i++) writeFileSync(tree.at(`${i}.txt`), '')
  const scope = scopeOf(tree)
  using place = await scope.place(ROOT)
  const asked = { scope, place, stat: await scope.stat(place), path: '/' }
  const sorting = { by: 'name', asc: false }
  const { signal } = new AbortController()
  const [types, largeFolders] = [createSniffedTypes(), createLargeFolders()]
  const { body } = await answerOf(
    await sendFolder(asked, { sorting, detection: 'name', types, largeFolders, signal }),
  )
  if (!isStreamed(body)) throw new Error('it is not streamed')
  const take = async () => {}
  const turns = countTurns()
  await body.write({ write: take, end: take, buffers: createBuffers() })
  expect(turns()).toBeGreaterThan(1)
})
