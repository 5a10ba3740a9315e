// Which files of jobs a start takes up, and which it removes.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createId } from '../../src/history/record.ts'
import { jobFilesOf } from '../../src/jobs/record.ts'
import { makeTree } from '../support/tree.ts'

it('a start removes what is no job, and leaves what the disk does not give', async () => {
  await using tree = await makeTree({})
  const files = jobFilesOf(tree.at('fb.db'))
  const [whole = '', cutOff = '', unreadable = '', none = ''] = [1, 2, 3, 4].map(createId)
  const at = (name: string) => join(files.folder, name)
  // A folder in the place of a file: reading it fails, for root as well.
  await mkdir(at(`${unreadable}.json`), { recursive: true })
  await writeFile(at(`${unreadable}.manifest`), '')
  await writeFile(at(`${whole}.json`), JSON.stringify({ id: whole, items: [] }))
  await writeFile(at(`${cutOff}.json`), '{"id":')
  await writeFile(at(`${none}.manifest`), '')
  expect((await files.load()).map(({ id }) => id)).toEqual([whole])
  const left = [`${unreadable}.json`, `${unreadable}.manifest`, `${whole}.json`]
  expect((await readdir(files.folder)).sort()).toEqual(left.sort())
})
