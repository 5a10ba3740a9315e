// The interface below a base URL, as behind a proxy that gives it a part of a site.
import { describe, expect, it } from 'vitest'
import { ADMIN } from '../support/program.ts'
import { servedPages } from './browser-steps.ts'
import { entry } from './listing-steps.ts'
import { makeShare, sharedRow } from './share-steps.ts'

const openServed = servedPages()

describe('a base URL', () => {
  it('leads to the files and their pages', async () => {
    await using open = await openServed(
      { 'a#b/inner %.txt': 'inner text' },
      { path: '/cloud/login', as: null, args: ['--baseURL', '/cloud'] },
    )
    const { page } = open
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.keyboard.press('Enter')
    await entry(page, 'a#b').waitFor()
    await entry(page, 'a#b').dblclick()
    await entry(page, 'inner %.txt').waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/cloud/files/a%23b/')
    await entry(page, 'inner %.txt').dblclick()
    await page.getByText('inner text').first().waitFor()
  })

  it('may be the name of a page', async () => {
    await using open = await openServed(
      { 'docs/a.txt': 'some text' },
      { path: '/files/', as: null, args: ['--baseURL', '/files'] },
    )
    const { page, program } = open
    await page.waitForURL('**/files/login')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/files/files/')
    await entry(page, 'docs').dblclick()
    await page.waitForURL('**/files/files/docs/')
    await entry(page, 'a.txt').dblclick()
    await page.waitForURL('**/files/files/docs/a.txt')
    await page.getByText('some text').first().waitFor()
    await page.goBack()
    await entry(page, 'a.txt').waitFor()
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/files/settings/profile')
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    // A page there is none of is looked for among the files.
    await page.goto('/files/settings/nothing')
    await page.waitForURL('**/files/files/settings/nothing')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.goto('/files/')
    await page.waitForURL('**/files/files/')
    await entry(page, 'docs').waitFor()
    const hash = await makeShare(program, '/docs/')
    await page.goto(`/files/share/${hash}`)
    await sharedRow(page, 'a.txt').waitFor()
    expect(open.problems).toEqual([])
  })
})
