// The list of links one has given away.
import { describe, expect, it } from 'vitest'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { addUser, toast, userLogin } from './listing-steps.ts'
import { clipboard, copied, makeShare } from './share-steps.ts'

const openIn = sharedBrowser()

describe('shared links', () => {
  it('say what they open, for how long and whether a password is needed', async () => {
    await using tree = await makeTree({ 'a b#1.txt': 'x', 'open/x.txt': 'x' })
    await using program = await startProgram(tree)
    const limited = { expires: '3', unit: 'days', password: 'opens it' }
    const hash = await makeShare(program, '/a%20b%231.txt', limited)
    await makeShare(program, '/open/')
    await using open = await openIn(program, { path: '/settings/shares' })
    const row = open.page.getByRole('row').filter({ hasText: '/a b#1.txt' })
    await row.getByText('In 3 days').waitFor()
    await row.getByText('Password').waitFor()
    await expect
      .poll(() => row.getByRole('link').getAttribute('href'))
      .toBe(`${program.origin}/share/${hash}`)
    await open.page.getByRole('row').filter({ hasText: '/open' }).getByText('Never').waitFor()
    expect(open.problems).toEqual([])
  })

  it('are all there for administrators, with their owners, and one’s own for the others', async () => {
    await using tree = await makeTree({ 'mine.txt': 'x', 'hers.txt': 'x' })
    await using program = await startProgram(tree)
    await addUser(program, 'rita', ['share', 'download'])
    await makeShare(program, '/mine.txt')
    const rita = userLogin('rita')
    await makeShare(program, '/hers.txt', {}, rita)
    await using open = await openIn(program, { path: '/settings/shares' })
    await open.page.getByRole('columnheader', { name: 'Owner' }).waitFor()
    const row = (name: string) => open.page.getByRole('row').filter({ hasText: name })
    await row('/hers.txt').getByText('rita', { exact: true }).waitFor()
    await row('/mine.txt').getByText('admin', { exact: true }).waitFor()

    await using hers = await openIn(program, { path: '/settings/shares', as: rita })
    await hers.page.getByRole('row').filter({ hasText: '/hers.txt' }).waitFor()
    await expect.poll(() => hers.page.getByRole('row').count()).toBe(2)
    expect(await hers.page.getByRole('columnheader', { name: 'Owner' }).count()).toBe(0)
  })

  it('are copied', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree)
    const hash = await makeShare(program, '/a.txt')
    await using open = await openIn(program, {
      path: '/settings/shares',
      ...clipboard,
    })
    const { page } = open
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Link copied').first().waitFor()
    expect(await copied(page)).toBe(`${program.origin}/share/${hash}`)
  })

  it('are deleted after a question, and then open nothing', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree)
    const hash = await makeShare(program, '/a.txt')
    await using open = await openIn(program, { path: '/settings/shares' })
    const { page } = open
    await page.getByRole('button', { name: 'Delete link' }).click()
    const question = page.getByRole('alertdialog')
    const cancel = question.getByRole('button', { name: 'Cancel' })
    await expect.poll(() => cancel.evaluate(isFocused)).toBe(true)
    await question.getByRole('button', { name: 'Delete link' }).click()
    await toast(page, 'Link deleted').waitFor()
    await page.getByText('No shared links yet').waitFor()
    expect((await fetch(`${program.origin}/api/public/share/${hash}`)).status).toBe(404)
  })

  it('stay in the list when the server does not delete them', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    await using program = await startProgram(tree)
    await makeShare(program, '/a.txt')
    await using open = await openIn(program, { path: '/settings/shares' })
    const { page } = open
    await page.route('**/api/share/*', (route) => route.fulfill({ status: 500, body: '500' }))
    await page.getByRole('button', { name: 'Delete link' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete link' }).click()
    await toast(page, 'Something went wrong on the server.').waitFor()
    await page.getByRole('row').filter({ hasText: '/a.txt' }).waitFor()
    expect(await page.getByText('Link deleted').count()).toBe(0)
  })
})

function isFocused(element: Element): boolean {
  return element === document.activeElement
}
