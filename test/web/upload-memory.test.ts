// What the browser remembers of unfinished uploads after a reload, and what it has to forget.
import { mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { startGateway } from '../support/gateway.ts'
import { startProgram } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { chooseAgain, dropTree, isRemembered, notice, panel, pickFiles } from './upload-steps.ts'

const openIn = sharedBrowser()

/** A page that reaches the program through a gateway, and files of the person's own. */
async function setUp(tree: Tree, files: string[]) {
  for (const name of files) await writeFile(join(tree.base, name), `content of ${name}`)
  const stack = new AsyncDisposableStack()
  const program = stack.use(await startProgram(tree))
  const gateway = stack.use(await startGateway(program))
  const { page } = stack.use(await openIn(program, { path: '/files/', baseURL: gateway.origin }))
  return { page, gateway, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe('after a reload', () => {
  it('a failed upload that was removed is not asked for, one that was left is', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await using here = await setUp(tree, ['left.txt', 'removed.txt'])
    const { page, gateway } = here
    gateway.refuse = ({ url }) => (url?.includes('/tus/') ? 403 : null)
    await pickFiles(page, [join(tree.base, 'left.txt')])
    await panel(page).getByText('1 upload failed').waitFor()
    await pickFiles(page, [join(tree.base, 'removed.txt')])
    await panel(page).getByText('2 uploads failed').waitFor()
    await panel(page).getByRole('button', { name: 'Remove removed.txt' }).click()
    await panel(page).getByText('1 upload failed').waitFor()
    await expect.poll(() => isRemembered(page, 'removed.txt')).toBe(false)
    await page.reload()
    await notice(page).getByText('left.txt').waitFor()
    await expect.poll(() => notice(page).count()).toBe(1)
    expect(await notice(page).textContent()).not.toContain('removed.txt')
  })

  it('a file that was done in the last moment is not asked for', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await using here = await setUp(tree, ['left.txt', 'done.txt'])
    const { page, gateway } = here
    gateway.refuse = ({ url }) => (url?.includes('/tus/left') ? 403 : null)
    await pickFiles(page, [join(tree.base, 'left.txt')])
    await panel(page).getByText('1 upload failed').waitFor()
    await page.evaluate(() => {
      new MutationObserver(() => {
        if (document.querySelector('.up')?.textContent.includes('1 file uploaded')) {
          location.reload()
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    const reloaded = page.waitForEvent('load')
    await pickFiles(page, [join(tree.base, 'done.txt')])
    await reloaded
    await notice(page).getByText('left.txt').waitFor()
    await expect.poll(() => notice(page).count()).toBe(1)
    expect(await notice(page).textContent()).not.toContain('done.txt')
    expect(await tree.read('done.txt')).toBe('content of done.txt')
  })

  it('a file is not sent again that the server has without the page knowing', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await using here = await setUp(tree, ['a.txt'])
    const { page, gateway } = here
    let isLost = false
    gateway.refuse = ({ method, url }) => {
      isLost ||= method === 'PATCH'
      // It asks what has become of it, perhaps before the page is gone.
      return isLost && url?.includes('/tus/') ? 'lost' : null
    }
    await pickFiles(page, [join(tree.base, 'a.txt')])
    await waitFor('the file', async () => (await tree.read('a.txt')) === 'content of a.txt')
    await expect.poll(() => isRemembered(page, 'a.txt')).toBe(true)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    gateway.refuse = () => null
    gateway.seen.length = 0
    await notice(page).getByText('1 file didn’t finish uploading').waitFor()
    await chooseAgain(page, 'Choose files', [join(tree.base, 'a.txt')])
    await panel(page).getByText('1 file was there already').waitFor()
    await notice(page).waitFor({ state: 'detached' })
    expect(gateway.seen.filter(({ path }) => path.includes('/tus/'))).toEqual([])
  })

  it('a folder without files is made although folder pickers do not give it', async () => {
    await using tree = await makeTree({ 'old.txt': 'x' })
    await using here = await setUp(tree, [])
    const { page, gateway } = here
    await page.locator('#listing').getByText('old').first().waitFor()
    gateway.refuse = ({ method, url }) =>
      method === 'POST' && url?.includes('/trip/empty/') ? 503 : null
    await dropTree(page, { trip: { 'a.txt': 'hello', empty: {} } })
    await panel(page).getByText('1 upload failed').waitFor()
    await page.reload()
    await notice(page).getByText('empty').waitFor()
    gateway.refuse = () => null
    const folder = join(tree.base, 'trip')
    await mkdir(join(folder, 'empty'), { recursive: true })
    await writeFile(join(folder, 'a.txt'), 'hello')
    await utimes(join(folder, 'a.txt'), 1_700_000_000, 1_700_000_000)
    await chooseAgain(page, 'Choose folder', [folder])
    await notice(page).waitFor({ state: 'detached' })
    await waitFor('the folder', async () => (await stat(tree.at('trip/empty'))).isDirectory())
    expect((await readFile(tree.at('trip/a.txt'))).toString()).toBe('hello')
  })
})
