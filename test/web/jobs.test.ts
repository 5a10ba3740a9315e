// What the server goes on with by itself, in the Activity panel. A command before each copy waits for a file that the
// test makes, as if there were much to copy.
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import type { Program } from '../support/program.ts'
import type { Tree } from '../support/tree.ts'
import { zipOf } from '../support/zips.ts'
import { addUser, entry, expectNames, listedServers, toast, userLogin } from './listing-steps.ts'

const openServer = listedServers()

/** Before a copy it waits for `go` or for one with the name of the file, and refuses while there is `no`. */
const HOLDER = `while [ ! -e "$1/go" ] && [ ! -e "$1/go-$(basename "$FILE")" ]; do sleep 0.05; done
[ ! -e "$1/no" ]
`

/** `note.txt`, encrypted in the old way with the password `open sesame`. */
const PROTECTED = Buffer.from(
  [
    'UEsDBAoACQAAALUWeF2MsuviEwAAAAcAAAAIABwAbm90ZS50eHRVVAkAAzX8BGs1/ARrdXgLAAEEAAAAAAQAAAAAMV',
    'OiK2nypoAwj2W/vTXUn3yAMVBLBwiMsuviEwAAAAcAAABQSwECHgMKAAkAAAC1FnhdjLLr4hMAAAAHAAAACAAYAAAA',
    'AAABAAAApIEAAAAAbm90ZS50eHRVVAUAAzX8BGt1eAsAAQQAAAAABAAAAABQSwUGAAAAAAEAAQBOAAAAZQAAAAAA',
  ].join(''),
  'base64',
)

const put = (tree: Tree, name: string, text = ''): Promise<void> =>
  writeFile(join(tree.base, name), text)

const panel = (page: Page): Locator => page.getByRole('region', { name: 'Activity' })

/** The row of a job by its title. */
const row = (page: Page, title: string): Locator =>
  panel(page).getByRole('listitem', { name: title })

/** A page of a folder with `content` and `to`, from which a copy waits until `go`; then it is long, unless it is not to be. */
async function openHolding(content: Record<string, string>, isLong = true) {
  const prepare = async (program: Program, tree: Tree) => {
    await put(tree, 'hold.sh', HOLDER)
    const admin = await loginAs(program.origin)
    const settings = await (await admin.fetch('/api/settings')).json()
    settings.commands.before_copy = [`sh ${tree.base}/hold.sh ${tree.base}`]
    const body = JSON.stringify(settings)
    expect((await admin.fetch('/api/settings', { method: 'PUT', body })).status).toBe(200)
  }
  const options = { args: ['--disableExec=false'], prepare }
  const open = await openServer({ ...content, to: null }, options)
  if (isLong) await open.page.evaluate(() => Object.assign(window, { isImpatient: true }))
  return open
}

/** Copies all that is selected into the folder `to`, which the page shows then. */
async function pasteInto(page: Page): Promise<void> {
  await page.keyboard.press('Control+c')
  await entry(page, 'to').dblclick()
  await page.waitForURL('**/files/to/')
  await page.locator('.empty').waitFor()
  await page.keyboard.press('Control+v')
}

/** Lets go one file after the other until what was asked for has reached the server: commands are waited for. */
async function letGoUntil(tree: Tree, names: string[], told: Locator): Promise<void> {
  const letNextGo = async () => {
    await put(tree, `go-${names.shift()}`)
    return told.count()
  }
  await expect.poll(letNextGo, { interval: 500 }).toBe(1)
}

describe('work that takes long', () => {
  it('shows in the panel, goes on when the page is loaded anew, and what arrives shows in the folder', async () => {
    await using open = await openHolding({ 'a.txt': 'A', 'b.txt': 'B' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await entry(page, 'b.txt').click({ modifiers: ['Control'] })
    await pasteInto(page)
    await row(page, 'Copying 2 items…').waitFor()
    await expectNames(page, ['a.txt', 'b.txt'])
    await page.reload()
    await row(page, 'Copying 2 items…').waitFor()
    await page.locator('.empty').waitFor()
    await put(tree, 'go')
    await row(page, 'Copied 2 items to “to”').waitFor()
    await expectNames(page, ['a.txt', 'b.txt'])
    expect(open.problems).toEqual([])
  })

  it('shows in a folder whose listing was asked for before it was done and came after', async () => {
    await using open = await openHolding({ 'a.txt': 'A' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await pasteInto(page)
    await row(page, 'Copying 1 item…').waitFor()
    const isDone = Promise.withResolvers<void>()
    const isListed = Promise.withResolvers<void>()
    await page.route(
      '**/api/resources/to*',
      async (route) => {
        const response = await route.fetch()
        isListed.resolve()
        await isDone.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await page.reload()
    await row(page, 'Copying 1 item…').waitFor()
    await isListed.promise
    await put(tree, 'go')
    await row(page, 'Copied 1 item to “to”').waitFor()
    isDone.resolve()
    await expectNames(page, ['a.txt'])
    expect(open.problems).toEqual([])
  })

  it('is paused, goes on and is cancelled in the panel', async () => {
    const names = Array.from({ length: 90 }, (_, n) => `${n}.txt`)
    await using open = await openHolding(Object.fromEntries(names.map((name) => [name, ''])))
    const { page, tree } = open
    await page.locator('#listing').focus()
    await page.keyboard.press('Control+a')
    await entry(page, 'to').click({ modifiers: ['Control'] })
    await pasteInto(page)
    const job = row(page, 'Copying 90 items…')
    await job.getByRole('button', { name: 'Pause' }).click()
    await letGoUntil(tree, names, job.getByText('Paused'))
    await job.getByRole('button', { name: /^Resume/ }).click()
    await job.getByRole('button', { name: 'Pause' }).waitFor()
    await job.getByRole('button', { name: 'Cancel' }).click()
    await letGoUntil(tree, names, job.getByText('Cancelled'))
    // What was shown as on its way and is not there has gone.
    const arrived = (await readdir(tree.at('to'))).length
    await expect.poll(() => page.locator('#listing [data-index]').count()).toBe(arrived)
    expect(arrived).toBeLessThan(90)
    await job.getByRole('button', { name: 'Dismiss' }).click()
    await panel(page).waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('says why something was not done, and does it when it is tried again', async () => {
    await using open = await openHolding({ 'a.txt': 'A' })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await pasteInto(page)
    await row(page, 'Copying 1 item…').waitFor()
    await put(tree, 'no')
    await put(tree, 'go')
    const failed = row(page, 'Some items couldn’t be processed.')
    await failed.getByText('A command that the server runs for this has failed.').waitFor()
    await expectNames(page, [])
    await rm(join(tree.base, 'no'))
    await failed.getByRole('button', { name: 'Try again' }).click()
    await row(page, 'Copied 1 item to “to”').waitFor()
    await expectNames(page, ['a.txt'])
    expect(open.problems).toEqual([])
  })

  it('of everybody is shown to administrators, who cancel it', async () => {
    const names = Array.from({ length: 90 }, (_, n) => `${n}.txt`)
    await using open = await openHolding(Object.fromEntries(names.map((name) => [name, ''])))
    const { page, program, tree } = open
    await addUser(program, 'bob', ['create', 'modify'])
    const { username, password } = userLogin('bob')
    const bob = await loginAs(program.origin, username, password)
    const items = names.map((name) => `/${name}`)
    const body = JSON.stringify({ kind: 'copy', items, to: '/to' })
    expect((await bob.fetch('/api/jobs', { method: 'POST', body })).status).toBe(201)
    await page.goto('/settings/activity')
    await page.getByRole('button', { name: 'Everyone’s activity' }).click()
    const job = row(page, 'Copying 90 items…')
    await job.getByText('bob').waitFor()
    await job.getByRole('button', { name: 'Cancel' }).click()
    await letGoUntil(tree, names, job.getByText('Cancelled'))
    await panel(page).getByRole('button', { name: 'Close' }).click()
    await panel(page).waitFor({ state: 'detached' })
    expect(open.problems).toEqual([])
  })

  it('makes an archive beside what is selected, which Undo takes back', async () => {
    await using open = await openHolding({ 'a.txt': 'A' })
    const { page } = open
    await entry(page, 'a.txt').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Compress…' }).click()
    await page.getByRole('dialog', { name: 'Compress as' }).getByText('.tar.gz').click()
    await toast(page, 'Compressed 1 item').waitFor()
    await expectNames(page, ['to', 'a.txt', 'a.txt.tar.gz'])
    await toast(page, 'Compressed 1 item').getByRole('button', { name: 'Undo' }).click()
    await expectNames(page, ['to', 'a.txt'])
    expect(open.problems).toEqual([])
  })

  it('unpacks an archive that is protected, once the password is right', async () => {
    await using open = await openServer({ 'private.zip': PROTECTED })
    const { page } = open
    await entry(page, 'private.zip').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Extract here' }).click()
    const dialog = page.getByRole('dialog', { name: 'is protected by a password' })
    await dialog.getByLabel('Password', { exact: true }).fill('guess')
    await page.keyboard.press('Enter')
    await dialog.getByText('Incorrect password.').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill('open sesame')
    await page.keyboard.press('Enter')
    await expectNames(page, ['private', 'private.zip'])
    await toast(page, 'Extracted “private.zip”').getByRole('button', { name: 'Undo' }).click()
    await expectNames(page, ['private.zip'])
    expect(open.problems).toEqual([])
  })

  it('unpacks what is chosen in an archive that is looked at', async () => {
    const files = ['docs/a.txt', 'docs/b.txt', 'c.txt'].map((name) => ({ name, content: name }))
    await using open = await openServer({ 'all.zip': zipOf(files), to: null })
    const { page, tree } = open
    await page.goto('/files/all.zip')
    await page.getByRole('checkbox', { name: 'Select docs' }).check()
    await page.getByRole('button', { name: 'Extract 1 item…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Extract' })
    await dialog.getByRole('treeitem', { name: 'to' }).click()
    await dialog.getByRole('button', { name: 'Extract here' }).click()
    await toast(page, 'Extracted “all.zip”').waitFor()
    expect((await readdir(tree.at('to'), { recursive: true })).sort()).toEqual([
      'docs',
      'docs/a.txt',
      'docs/b.txt',
    ])
    expect(open.problems).toEqual([])
  })

  it('shows in no panel, and is not listened to, when it is over at once', async () => {
    await using open = await openHolding({ 'a.txt': 'A' }, false)
    const { page, tree } = open
    await put(tree, 'go')
    const listened: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/events')) listened.push(request.url())
    })
    await entry(page, 'a.txt').click()
    await page.keyboard.press('Control+d')
    await toast(page, 'Duplicated 1 item').waitFor()
    await expectNames(page, ['to', 'a.txt', 'a(1).txt'])
    expect(await panel(page).count()).toBe(0)
    expect(listened).toEqual([])
    expect(open.problems).toEqual([])
  })
})
