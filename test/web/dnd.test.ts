// Drag and drop: into folders, onto breadcrumbs and pinned folders, copying with Ctrl, from outside.
import { readdir, rm } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { boxOf } from './browser-steps.ts'
import {
  dragTo,
  entry,
  expectNames,
  expectSelected,
  focusedName,
  holdSprings,
  listedFolders,
  toast,
  twoFrames,
} from './listing-steps.ts'

const openFolder = listedFolders()

describe('drag and drop', () => {
  it('moves what is selected into a folder, says so while dragging, and takes it back', async () => {
    await using open = await openFolder({ 'a #1.txt': 'a', 'b%.txt': 'b', 'c.txt': 'c', to: null })
    const { page, tree } = open
    await entry(page, 'a #1.txt').click()
    await entry(page, 'b%.txt').click({ modifiers: ['Control'] })
    await dragTo(page, entry(page, 'a #1.txt'), entry(page, 'to'), { drop: false })
    await page.locator('.ghost', { hasText: 'Move 2 items to to' }).waitFor()
    await page.locator('.ghost__count', { hasText: '2' }).waitFor()
    await page.locator('.item.drop[aria-label="to"]').waitFor()
    // What is carried is seen through where it came from.
    const opacity = (name: string) =>
      entry(page, name)
        .locator('.lrow__name')
        .evaluate((cell) => getComputedStyle(cell).opacity)
    await expect.poll(() => opacity('a #1.txt')).toBe('0.5')
    await expect.poll(() => opacity('b%.txt')).toBe('0.5')
    await expect.poll(() => opacity('c.txt')).toBe('1')
    await page.mouse.up()
    await expectNames(page, ['to', 'c.txt'])
    await waitFor('the files', async () => (await readdir(tree.at('to'))).length === 2)
    await expect.poll(() => tree.read('to/a #1.txt')).toBe('a')
    await expect.poll(() => tree.read('to/b%.txt')).toBe('b')
    await toast(page, 'Moved 2 items to “to”').getByRole('button', { name: 'Undo' }).click()
    await expectNames(page, ['to', 'a #1.txt', 'b%.txt', 'c.txt'])
    await expectSelected(page, ['a #1.txt', 'b%.txt'])
    await waitFor('the files to be back', async () => (await readdir(tree.at('to'))).length === 0)
    expect(open.problems).toEqual([])
  })

  it('leaves the keyboard at the entry after those that went', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', to: null })
    const { page } = open
    await entry(page, 'a.txt').click()
    await dragTo(page, entry(page, 'b.txt'), entry(page, 'to'))
    await expectNames(page, ['to', 'a.txt', 'c.txt'])
    await waitFor('the next one', async () => (await focusedName(page)) === 'c.txt')
    await page.keyboard.press('ArrowUp')
    await waitFor('the one before', async () => (await focusedName(page)) === 'a.txt')
    await dragTo(page, entry(page, 'c.txt'), entry(page, 'to'))
    await expectNames(page, ['to', 'a.txt'])
    await waitFor('the last one that is left', async () => (await focusedName(page)) === 'a.txt')
  })

  it('copies with Ctrl, and Undo removes the copy', async () => {
    await using open = await openFolder({ 'a.txt': 'a', to: null })
    const { page, tree } = open
    await dragTo(page, entry(page, 'a.txt'), entry(page, 'to'), { hold: 'Control' })
    await toast(page, 'Copied 1 item to “to”').waitFor()
    await expect.poll(() => tree.read('to/a.txt')).toBe('a')
    expect(await tree.read('a.txt')).toBe('a')
    await page.keyboard.press('Control+z')
    await waitFor('the copy to go', async () => (await readdir(tree.at('to'))).length === 0)
    expect(await tree.read('a.txt')).toBe('a')
  })

  it('drops on breadcrumbs and pinned folders', async () => {
    await using open = await openFolder({
      'one/two/a.txt': 'a',
      'one/two/b.txt': 'b',
      'one/two/c.txt': 'c',
      pinned: null,
    })
    const { page, tree } = open
    await entry(page, 'pinned').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Pin to sidebar' }).click()
    const pin = page.getByRole('navigation', { name: 'Pinned folders' }).getByRole('link')
    await pin.waitFor()
    await entry(page, 'one').dblclick()
    await entry(page, 'two').dblclick()
    await expectNames(page, ['a.txt', 'b.txt', 'c.txt'])
    await dragTo(page, entry(page, 'a.txt'), pin)
    await waitFor('the pinned folder', async () => (await readdir(tree.at('pinned'))).length === 1)
    await expectNames(page, ['b.txt', 'c.txt'])
    const home = page
      .getByRole('navigation', { name: 'Places' })
      .getByRole('link', { name: 'My files' })
    await dragTo(page, entry(page, 'c.txt'), home)
    await waitFor('the root', async () => (await readdir(tree.root)).includes('c.txt'))
    await expectNames(page, ['b.txt'])
    const crumb = page
      .getByRole('navigation', { name: 'Breadcrumb' })
      .getByRole('link', { name: 'one' })
    await dragTo(page, entry(page, 'b.txt'), crumb)
    await waitFor('the folder above', async () => (await readdir(tree.at('one'))).includes('b.txt'))
    await page.getByRole('heading', { name: 'This folder is empty' }).waitFor()
    expect(open.problems).toEqual([])
  })

  it('opens a folder that is hovered while dragging', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'outer/inner/x.txt': 'x' })
    const { page, tree } = open
    const what = entry(page, 'a.txt')
    await dragTo(page, what, entry(page, 'outer'), { drop: false, springs: true })
    await entry(page, 'inner').waitFor()
    await holdSprings(page)
    await waitFor('a target that takes it', async () => {
      const { x, y } = await boxOf(entry(page, 'inner'))
      for (const px of [60, 62, 64, 66]) await page.mouse.move(x + px, y + 20)
      return (await page.locator('.item.drop[aria-label="inner"]').count()) > 0
    })
    await page.mouse.up()
    await waitFor('the move', async () => (await readdir(tree.at('outer/inner'))).includes('a.txt'))
  })

  it('does not take a folder into itself, nor anything into a file', async () => {
    await using open = await openFolder({ 'folder/x.txt': 'x', 'a.txt': 'a' })
    const { page, tree } = open
    await entry(page, 'folder').click()
    await entry(page, 'a.txt').click({ modifiers: ['Control'] })
    await dragTo(page, entry(page, 'a.txt'), entry(page, 'folder'), { drop: false })
    await page.locator('.ghost', { hasText: '2 items' }).waitFor()
    expect(await page.locator('.item.drop').count()).toBe(0)
    await page.mouse.up()
    await expectNames(page, ['folder', 'a.txt'])
    expect((await readdir(tree.root)).sort()).toEqual(['a.txt', 'folder'])
  })

  it('asks when a name is taken, and then replaces or keeps both', async () => {
    await using open = await openFolder({
      'a.txt': 'new',
      'b.txt': 'new',
      'to/a.txt': 'old',
      'to/b.txt': 'old',
    })
    const { page, tree } = open
    await dragTo(page, entry(page, 'a.txt'), entry(page, 'to'))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('a.txt').first().waitFor()
    await dialog.getByRole('radio', { name: 'Keep both' }).check()
    await dialog.getByRole('button', { name: /Continue|Move/ }).click()
    await waitFor('both', async () => (await readdir(tree.at('to'))).includes('a(1).txt'))
    expect(await tree.read('to/a.txt')).toBe('old')
    expect(await tree.read('to/a(1).txt')).toBe('new')
    await expectNames(page, ['to', 'b.txt'])
    const moved = toast(page, 'Moved 1 item to “to”')
    await moved.getByRole('button', { name: 'Dismiss' }).click()
    await moved.waitFor({ state: 'detached' })
    await dragTo(page, entry(page, 'b.txt'), entry(page, 'to'))
    await dialog.getByRole('radio', { name: 'Replace' }).check()
    await dialog.getByRole('button', { name: /Continue|Move/ }).click()
    await waitFor('the new one', async () => (await tree.read('to/b.txt')) === 'new')
    // What was replaced is gone: nothing is promised.
    await moved.waitFor()
    expect(await moved.getByRole('button', { name: 'Undo' }).count()).toBe(0)
  })

  it('skips what is taken when told to, and touches nothing when cancelled', async () => {
    await using open = await openFolder({
      'a.txt': 'new',
      'b.txt': 'new',
      'to/a.txt': 'old',
    })
    const { page, tree } = open
    await entry(page, 'a.txt').click()
    await entry(page, 'b.txt').click({ modifiers: ['Control'] })
    await dragTo(page, entry(page, 'a.txt'), entry(page, 'to'))
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await readdir(tree.at('to'))).toEqual(['a.txt'])
    await expectNames(page, ['to', 'a.txt', 'b.txt'])
    await expectSelected(page, ['a.txt', 'b.txt'])
    await dragTo(page, entry(page, 'a.txt'), entry(page, 'to'))
    await dialog.getByRole('radio', { name: 'Skip' }).first().check()
    await dialog.getByRole('button', { name: /Continue|Move/ }).click()
    await waitFor('the free one', async () => (await readdir(tree.at('to'))).includes('b.txt'))
    await expectNames(page, ['to', 'a.txt'])
    expect(await tree.read('to/a.txt')).toBe('old')
    expect(await tree.read('a.txt')).toBe('new')
  })

  it('shows no more of what somebody else has deleted', async () => {
    await using open = await openFolder({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', to: null })
    const { page, tree } = open
    await rm(tree.at('a.txt'))
    await dragTo(page, entry(page, 'a.txt'), entry(page, 'to'))
    await toast(page, 'Couldn’t move “a.txt”.').waitFor()
    await expectNames(page, ['to', 'b.txt', 'c.txt'])
    await rm(tree.at('b.txt'))
    await dragTo(page, entry(page, 'b.txt'), entry(page, 'to'), { hold: 'Control' })
    await toast(page, 'Couldn’t copy “b.txt”.').waitFor()
    await expectNames(page, ['to', 'c.txt'])
    expect(open.problems).toEqual([])
  })

  it('scrolls while something is held near the edge', async () => {
    const names = Array.from({ length: 80 }, (_, i) => `f${String(i).padStart(2, '0')}.txt`)
    await using open = await openFolder(Object.fromEntries(names.map((name) => [name, 'x'])))
    const { page } = open
    await entry(page, 'f02.txt').waitFor()
    await twoFrames(page)
    const list = await boxOf(page.locator('#listing'))
    const from = await boxOf(entry(page, 'f02.txt'))
    const scrolled = () => page.locator('#listing').evaluate((element) => element.scrollTop)
    await page.mouse.move(from.x + 90, from.y + 20)
    await page.mouse.down()
    for (const px of [2, 5, 9]) await page.mouse.move(from.x + 90 + px, from.y + 21)
    const edge = list.y + list.height - 8
    await waitFor('the later files', async () => {
      await page.mouse.move(from.x + 90, edge)
      await page.mouse.move(from.x + 92, edge - 1)
      return (await scrolled()) > 1000
    })
    await page.mouse.up()
    const rest = await scrolled()
    expect(rest).toBeGreaterThan(1000)
    // A box that is drawn follows in the other direction.
    const right = list.x + list.width - 300
    await page.mouse.move(right, list.y + list.height - 80)
    await page.mouse.down()
    await waitFor('the start of the folder', async () => {
      await page.mouse.move(right - 10, list.y + 9)
      await page.mouse.move(right - 12, list.y + 8)
      return (await scrolled()) < 300
    })
    await page.mouse.up()
    await waitFor('a long selection', async () => {
      return (await page.locator('#listing [aria-selected="true"]').count()) > 25
    })
    expect(open.problems).toEqual([])
  })

  it('hands files from outside to the uploads, on the page or on a folder', async () => {
    await using open = await openFolder({ 'sub/x.txt': 'x' })
    const { page, tree } = open
    const drop = (selector: string, name: string, kind: 'dragover' | 'drop' = 'drop') =>
      page.evaluate(
        ([target, file, last]) => {
          const data = new DataTransfer()
          data.items.add(new File([`content of ${file}`], file ?? '', { type: 'text/plain' }))
          const element = document.querySelector(target ?? '')
          const init = { bubbles: true, cancelable: true, dataTransfer: data }
          element?.dispatchEvent(new DragEvent('dragover', init))
          if (last === 'drop') element?.dispatchEvent(new DragEvent('drop', init))
        },
        [selector, name, kind],
      )
    await drop('#listing', 'here.txt', 'dragover')
    await page.locator('.dropveil', { hasText: 'Drop to upload 1 item to “My files”' }).waitFor()
    await drop('#listing', 'here.txt')
    await entry(page, 'here.txt').waitFor()
    // What is selected meanwhile is not what was dropped.
    const moves: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/jobs')) moves.push(request.url())
    })
    await entry(page, 'here.txt').click()
    await expectSelected(page, ['here.txt'])
    await drop('[data-path="/sub"]', 'there.txt')
    await waitFor('the file in the folder', async () =>
      (await readdir(tree.at('sub'))).includes('there.txt'),
    )
    expect(moves).toEqual([])
    await expect
      .poll(async () => (await readdir(tree.at('sub'))).sort())
      .toEqual(['there.txt', 'x.txt'])
    await expectSelected(page, ['here.txt'])
    await expect.poll(() => tree.read('here.txt')).toBe('content of here.txt')
    expect(open.problems).toEqual([])
  })
})
