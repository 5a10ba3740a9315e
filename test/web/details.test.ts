// Facts about files: one, several, the open folder, pictures; in the panel and in the dialog.
import { createHash } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { basic, LOCK_INFO } from '../support/dav.ts'
import { waitFor } from '../support/deadline.ts'
import { startProgram } from '../support/program.ts'
import { needProgram } from '../support/programs.ts'
import { makeTree } from '../support/tree.ts'
import { boxOf, sharedBrowser, takeHome } from './browser-steps.ts'
import { addUser, entry, listedFolders, showList, toast, userLogin } from './listing-steps.ts'
import { sample } from './share-steps.ts'
import { dragFromOutside } from './upload-steps.ts'

const openIn = sharedBrowser()
const openFolder = listedFolders(openIn)

const WIDE = { width: 1440, height: 900 }

const panel = (page: Page) => page.getByRole('complementary', { name: 'Details' })

/** What stands behind a word of the list of facts. */
const fact = (page: Page, label: string) =>
  panel(page)
    .locator('dt', { hasText: new RegExp(`^${label}$`) })
    .locator('+ dd')

describe('details', () => {
  it('count a folder on demand, copy a checksum, and are a dialog where it is narrow', async () => {
    await using open = await openFolder(
      {
        'dir/a.bin': 'x'.repeat(2048),
        'dir/deep/b.bin': 'y',
        'sum.txt': 'sum',
      },
      { viewport: WIDE, permissions: ['clipboard-read', 'clipboard-write'] },
    )
    const { page } = open
    await entry(page, 'dir').click()
    await page.getByRole('button', { name: 'Details' }).click()
    await panel(page).getByRole('heading', { name: 'dir', exact: true }).waitFor()
    await expect.poll(() => fact(page, 'Contents').textContent()).toBe('1 folder, 1 file')
    await panel(page).getByRole('button', { name: 'Calculate' }).click()
    await panel(page).getByText('(2,049 B)').waitFor()
    await panel(page).getByText('3 items inside').waitFor()
    await entry(page, 'sum.txt').click()
    await panel(page).locator('[data-algorithm="sha256"]').click()
    const expected = createHash('sha256').update('sum').digest('hex')
    await panel(page).locator('[data-checksum="sha256"]', { hasText: expected }).waitFor()
    await panel(page).getByRole('button', { name: 'Copy' }).click()
    await toast(page, 'Checksum copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(expected)
    await page.reload()
    await panel(page).waitFor()
    await page.setViewportSize({ width: 1100, height: 800 })
    await panel(page).waitFor({ state: 'detached' })
    await entry(page, 'sum.txt').click()
    await page.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('dialog', { name: 'Details' }).getByText('sum.txt').first().waitFor()
    await page.keyboard.press('Escape')
    expect(open.problems).toEqual([])
  })

  it('of nothing selected are those of the open folder, of several their sum', async () => {
    await using open = await openFolder(
      {
        'in/a.bin': 'x'.repeat(2000),
        'in/b.bin': 'x'.repeat(100),
        'in/dir/c.bin': 'x'.repeat(3000),
      },
      { path: '/files/in/', viewport: WIDE },
    )
    const { page } = open
    await page.getByRole('button', { name: 'Details' }).click()
    await panel(page).getByRole('heading', { name: 'in', exact: true }).waitFor()
    await expect.poll(() => fact(page, 'Contents').textContent()).toBe('1 folder, 2 files')
    await expect.poll(() => fact(page, 'Location').textContent()).toBe('My files')
    await fact(page, 'Size').getByRole('button', { name: 'Calculate' }).click()
    await fact(page, 'Size').getByText('(5,100 B)').waitFor()

    await entry(page, 'a.bin').click()
    await entry(page, 'b.bin').click({ modifiers: ['Control'] })
    await panel(page).getByRole('heading', { name: '2 items' }).waitFor()
    await expect.poll(() => fact(page, 'Contents').textContent()).toBe('2 files')
    await expect.poll(() => fact(page, 'Size').textContent()).toContain('(2,100 B)')
    await page.keyboard.press('Control+a')
    await panel(page).getByRole('heading', { name: '3 items' }).waitFor()
    await expect.poll(() => fact(page, 'Contents').textContent()).toBe('1 folder, 2 files')
    await fact(page, 'Size').getByRole('button', { name: 'Calculate' }).click()
    await fact(page, 'Size').getByText('(5,100 B)').waitFor()
    expect(open.problems).toEqual([])
  })

  it('of a photo tell its dimensions and what the camera wrote', async () => {
    const picture = sharp({ create: { width: 1200, height: 800, channels: 3, background: '#268' } })
    const photo = await picture
      .withExif({
        IFD0: { Make: 'Acme', Model: 'Acme Seven' },
        IFD2: {
          DateTimeOriginal: '2024:05:06 07:08:09',
          ExposureTime: '1/250',
          FNumber: '28/10',
          FocalLength: '35/1',
        },
        IFD3: {
          GPSLatitudeRef: 'N',
          GPSLatitude: '51/1 30/1 0/1',
          GPSLongitudeRef: 'W',
          GPSLongitude: '0/1 7/1 30/1',
        },
      })
      .jpeg()
      .toBuffer()
    await using open = await openFolder({ 'photo.jpg': photo }, { viewport: WIDE })
    const { page } = open
    await entry(page, 'photo.jpg').click()
    await page.getByRole('button', { name: 'Details' }).click()
    await fact(page, 'Dimensions').getByText('1200 × 800').waitFor()
    await expect.poll(() => fact(page, 'Camera').textContent()).toBe('Acme Seven')
    await expect.poll(() => fact(page, 'Date taken').textContent()).toMatch(/^May 6, 2024, 7:08/)
    await expect
      .poll(() => fact(page, 'Exposure').textContent())
      .toBe('1/250\u00a0s · f/2.8 · 35\u00a0mm')
    await expect.poll(() => fact(page, 'Coordinates').textContent()).toBe('51.50000, -0.12500')
    expect(open.problems).toEqual([])
  })

  it('show a picture that is taller than wide as a whole', async () => {
    const tall = sharp({ create: { width: 300, height: 900, channels: 3, background: '#268' } })
    await using open = await openFolder(
      { 'tall.png': await tall.png().toBuffer() },
      { viewport: WIDE },
    )
    const { page } = open
    await entry(page, 'tall.png').click()
    await page.getByRole('button', { name: 'Details' }).click()
    const picture = page.locator('.info__picture')
    await waitFor('the whole picture', async () => {
      const whole = picture
        .locator('img')
        .evaluate((img: HTMLImageElement) => img.naturalHeight > 0)
      const [outer, inner] = [picture, picture.locator('img')].map(boxOf)
      return (await whole) && (await inner)?.height === (await outer)?.height
    })
  })

  it('show a film in its own shape', async () => {
    needProgram('ffmpeg')
    const film = await sample('film.mp4')
    await using open = await openFolder({ 'film.mp4': film }, { viewport: WIDE })
    const { page } = open
    await entry(page, 'film.mp4').click()
    await page.keyboard.press('Control+i')
    const shape = () =>
      page
        .locator('.info__picture img')
        .evaluate((img: HTMLImageElement) => img.naturalWidth / img.naturalHeight)
    await expect.poll(shape).toBeCloseTo(320 / 180)
  })

  it('calculate a checksum anew when the file was replaced', async () => {
    await using home = await takeHome({ 'sum.txt': 'sum' })
    const { tree } = home
    await mkdir(join(tree.base, 'own'))
    await writeFile(join(tree.base, 'own/sum.txt'), 'another sum')
    await using open = await openIn(home, { as: home.as, path: '/files/', viewport: WIDE })
    const { page } = open
    await showList(page)
    await entry(page, 'sum.txt').click()
    await page.getByRole('button', { name: 'Details' }).click()
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    await fact(page, 'SHA-256').getByRole('button', { name: 'Calculate' }).click()
    await fact(page, 'SHA-256').getByText(hash('sum')).waitFor()
    await dragFromOutside(page, { x: 640, y: 600 }, [join(tree.base, 'own/sum.txt')])
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: 'Replace' }).first().check()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await fact(page, 'Size').getByText('11 B').waitFor()
    await fact(page, 'SHA-256').getByRole('button', { name: 'Calculate' }).click()
    await fact(page, 'SHA-256').getByText(hash('another sum')).waitFor()
  })

  it('give each checksum on demand, and none without the right to download', async () => {
    await using tree = await makeTree({ 'sum.txt': 'sum' })
    await using program = await startProgram(tree)
    await addUser(program, 'looker', ['create'])
    {
      await using open = await openIn(program, { path: '/files/', viewport: WIDE })
      const { page } = open
      await showList(page)
      await entry(page, 'sum.txt').click()
      await page.getByRole('button', { name: 'Details' }).click()
      const names = { md5: 'MD5', sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' }
      for (const [algorithm, name] of Object.entries(names)) {
        await fact(page, name).getByRole('button', { name: 'Calculate' }).click()
        const expected = createHash(algorithm).update('sum').digest('hex')
        await fact(page, name).getByText(expected, { exact: true }).waitFor()
      }
      expect(open.problems).toEqual([])
    }
    await using open = await openIn(program, {
      path: '/files/',
      viewport: WIDE,
      as: userLogin('looker'),
    })
    const { page } = open
    await showList(page)
    await entry(page, 'sum.txt').click()
    await page.getByRole('button', { name: 'Details' }).click()
    await panel(page).getByRole('heading', { name: 'sum.txt' }).waitFor()
    expect(await panel(page).getByText('Checksums').count()).toBe(0)
  })

  it('say who has locked a file from elsewhere, as a change that meets the lock does, until it is unlocked', async () => {
    await using tree = await makeTree({ 'plan.txt': 'plan' })
    await using program = await startProgram(tree, { args: ['--davPasswords'] })
    await addUser(program, 'anna', ['modify'])
    const { username, password } = userLogin('anna')
    const locked = await fetch(`${program.origin}/dav/plan.txt`, {
      method: 'LOCK',
      headers: basic(username, password),
      body: LOCK_INFO,
    })
    expect(locked.status).toBe(200)
    await using open = await openIn(program, { path: '/files/', viewport: WIDE })
    const { page } = open
    await showList(page)
    await entry(page, 'plan.txt').click()
    await page.keyboard.press('Delete')
    await toast(
      page,
      /Couldn’t delete “plan.txt”. This item is locked by anna until .*\d/,
    ).waitFor()
    await page.getByRole('button', { name: 'Details' }).click()
    await fact(page, 'Locked')
      .getByText(/^By anna until .*\d/)
      .waitFor()
    await fact(page, 'Locked').getByRole('button', { name: 'Unlock' }).click()
    await fact(page, 'Locked').waitFor({ state: 'detached' })
    await entry(page, 'plan.txt').click()
    await page.keyboard.press('Delete')
    await entry(page, 'plan.txt').waitFor({ state: 'detached' })
    await expect.poll(() => readdir(tree.root)).not.toContain('plan.txt')
  })
})
