import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { openApp } from '../support/app.ts'

it('a listing is valid JSON whatever escapes the names seem to hold', async () => {
  await using app = await openApp({ tree: {} })
  const names = [
    '\\ud800.txt',
    '\\\\udfff',
    '\\u003c',
    'a\\',
    '<&>.txt',
    '\u2028',
    '😀',
    '\\ud83d\\ude00',
  ]
  for (const name of names) await writeFile(app.tree.at(name), '')
  const { fetch } = await app.as('admin')
  const listing = JSON.parse(await (await fetch('/api/resources/')).text())
  const listed = listing.items.map(({ name }: { name: string }) => name)
  expect(listed).toEqual(expect.arrayContaining(names))
})
