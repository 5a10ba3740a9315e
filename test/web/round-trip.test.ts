// 200 files opened in the real editor and saved without a change: not a byte differs. Every eighth
// of them in `npm test`, all in `npm run test:long`.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { someOf } from '../support/scale.ts'
import { textFiles } from '../support/text-files.ts'
import { setModified } from '../support/tree.ts'
import { followLink, sharedSite } from './browser-steps.ts'

// The one that holds every control character is no text and cannot be edited: editor.test.ts.
const { 'every-byte.txt': _, ...files } = textFiles()

const site = sharedSite(() => files)

it('keeps the bytes of every file that is opened and saved as it is', async () => {
  await using opened = await site.open({ path: '/files/' })
  const { page } = opened
  const wrong: string[] = []
  for (const [name, bytes] of someOf(Object.entries(files), 8)) {
    // An old date shows that the file was really written.
    await setModified(site.tree.at(name), '2020-01-01T00:00:00Z')
    await followLink(page, `/files/${encodeURIComponent(name)}`)
    await page.getByRole('dialog', { name, exact: true }).locator('.cm-content').click()
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'PUT'),
      page.keyboard.press('Control+s'),
    ])
    expect(answer.status(), name).toBe(200)
    const now = await readFile(site.tree.at(name))
    if (!now.equals(bytes)) wrong.push(`${name}: ${now.toString('hex').slice(0, 60)}`)
  }
  expect(wrong).toEqual([])
  expect(opened.problems).toEqual([])
}, 300_000)
