// The list of links one has given away.
import { describe, expect, it } from 'vitest'
import { PHONE } from '../support/browser.ts'
import { loginAs } from '../support/login.ts'
import { boxOf, sharedSite } from './browser-steps.ts'
import { addUser, toast, userLogin } from './listing-steps.ts'
import { clipboard, copied, makeShare } from './share-steps.ts'

const site = sharedSite(() => ({
  'a b#1.txt': 'x',
  'gone.txt': 'x',
  'hers.txt': 'x',
  'mine.txt': 'x',
  'open/x.txt': 'x',
}))
const path = '/settings/shares'

describe('shared links', () => {
  it('are deleted after a question unless the server refuses, and then open nothing', async () => {
    const hash = await makeShare(site.program, '/gone.txt')
    await using open = await site.open({ path })
    const { page } = open
    const address = '**/api/share/*'
    await page.route(address, (route) => route.fulfill({ status: 500, body: '500' }))
    await page.getByRole('button', { name: 'Delete link' }).click()
    const question = page.getByRole('alertdialog')
    const cancel = question.getByRole('button', { name: 'Cancel' })
    await expect.poll(() => cancel.evaluate(isFocused)).toBe(true)
    await question.getByRole('button', { name: 'Delete link' }).click()
    await toast(page, 'Something went wrong on the server.').waitFor()
    await page.getByRole('row').filter({ hasText: '/gone.txt' }).waitFor()
    expect(await page.getByText('Link deleted').count()).toBe(0)
    await question.waitFor({ state: 'detached' })
    await page.unroute(address)
    await page.getByRole('button', { name: 'Delete link' }).click()
    await question.getByRole('button', { name: 'Delete link' }).click()
    await toast(page, 'Link deleted').waitFor()
    await page.getByText('No shared links yet').waitFor()
    const { origin } = site.program
    expect((await fetch(`${origin}/api/public/share/${hash}`)).status).toBe(404)
  })

  it('say what they open, for how long and whether a password is needed, and are copied', async () => {
    const { program } = site
    const limited = { expires: '3', unit: 'days', password: 'opens it' }
    const hash = await makeShare(program, '/a%20b%231.txt', limited)
    await makeShare(program, '/open/')
    await using open = await site.open({ path, ...clipboard })
    const { page } = open
    const row = page.getByRole('row').filter({ hasText: '/a b#1.txt' })
    await row.getByText('In 3 days').waitFor()
    await row.getByText('Password').waitFor()
    const address = `${program.origin}/share/${hash}`
    await expect.poll(() => row.getByRole('link').getAttribute('href')).toBe(address)
    await page.getByRole('row').filter({ hasText: '/open' }).getByText('Never').waitFor()
    await row.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').first().waitFor()
    expect(await copied(page)).toBe(address)
    expect(open.problems).toEqual([])
  })

  it('are all there for administrators, with their owners, and one’s own for the others', async () => {
    const { program } = site
    await addUser(program, 'rita', ['share', 'download'])
    await makeShare(program, '/mine.txt')
    const rita = userLogin('rita')
    await makeShare(program, '/hers.txt', {}, rita)
    await using open = await site.open({ path })
    await open.page.getByRole('columnheader', { name: 'Owner' }).waitFor()
    const row = (name: string) => open.page.getByRole('row').filter({ hasText: name })
    await row('/hers.txt').getByText('rita', { exact: true }).waitFor()
    await row('/mine.txt').getByText('admin', { exact: true }).waitFor()

    await using hers = await site.open({ path, as: rita })
    await hers.page.getByRole('row').filter({ hasText: '/hers.txt' }).waitFor()
    await expect.poll(() => hers.page.getByRole('row').count()).toBe(2)
    expect(await hers.page.getByRole('columnheader', { name: 'Owner' }).count()).toBe(0)
  })

  it.each([
    ['desktop', { width: 1440, height: 900 }],
    ['tablet', { width: 820, height: 1180 }],
    ['phone', PHONE],
  ])('that have ended say so in whole words (%s)', async (name, viewport) => {
    const { program, tree } = site
    await tree.add({ 'ends.txt': 'x' })
    await addUser(program, name, ['share', 'download'])
    await makeShare(program, '/ends.txt', {}, userLogin(name))
    const admin = await loginAs(program.origin)
    await admin.fetch('/api/resources/ends.txt', { method: 'DELETE' })
    await using open = await site.open({ path, viewport })
    const row = open.page
      .getByRole('row')
      .filter({ hasText: '/ends.txt' })
      .filter({ hasText: name })
    const words = row.getByText('Ended: the shared item no longer exists')
    const linesOfEach = await words.evaluate((element) => {
      const text = element.firstChild as Text
      const range = document.createRange()
      return [...text.data.matchAll(/\S+/g)].map(({ index, 0: word }) => {
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        return range.getClientRects().length
      })
    })
    expect(linesOfEach).toEqual([1, 1, 1, 1, 1, 1, 1])
  })

  it('have paths that go on in the next line after a slash, on phones', async () => {
    const names = ['Photographs_of_all', 'Interviews_and_more', 'Recordings', 'a_letter.txt']
    const path = `/${names.join('/')}`
    await site.tree.add({ [path.slice(1)]: 'x' })
    await makeShare(site.program, path)
    await using open = await site.open({ path: '/settings/shares', viewport: PHONE })
    const link = open.page.getByRole('link', { name: path })
    await link.waitFor()
    // Each text has one box for each line that it stands in.
    const lines = () =>
      link.locator('bdi').evaluate((element) => {
        const range = document.createRange()
        return [...element.childNodes].flatMap((node) => {
          range.selectNodeContents(node)
          return node.nodeType === Node.TEXT_NODE ? [range.getClientRects().length] : []
        })
      })
    await expect.poll(lines).toEqual([1, 1, 1, 1, 1])
    const words = await boxOf(link.locator('bdi'))
    expect(words.height).toBeGreaterThan(30)
    // The buttons are below it, not beside.
    const row = open.page.getByRole('row').filter({ has: link })
    const button = await boxOf(row.getByRole('button').first())
    expect(button.y).toBeGreaterThanOrEqual(words.y + words.height)
  })
})

function isFocused(element: Element): boolean {
  return element === document.activeElement
}
