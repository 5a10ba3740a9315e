import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createResumables } from '../../src/files/resumable.ts'
import { createScope } from '../../src/files/scope.ts'
import { vpathOf } from '../../src/files/vpath.ts'
import { makeTree } from '../support/tree.ts'

it('an upload that is not complete any more replaces nothing', async () => {
  await using tree = await makeTree({ 'a.txt': 'old' })
  const scope = createScope({
    root: tree.root,
    allow: () => true,
    followExternalSymlinks: false,
    fileMode: 0o640,
    dirMode: 0o750,
  })
  const resumables = createResumables()
  const destination = { scope, vpath: vpathOf('/a.txt') }
  const upload = await resumables.create(destination, {
    lengthBytes: 5,
    replace: true,
    mtimeMs: null,
  })
  await expect(
    resumables.complete(destination, upload, (commit) => commit()),
  ).rejects.toMatchObject({ code: 'conflict' })
  expect(await readFile(tree.at('a.txt'), 'utf8')).toBe('old')
})
