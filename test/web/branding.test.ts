// A branded instance: name, logo, theme, colour, and the selectors of an existing custom.css.
import { describe, expect, it } from 'vitest'
import { loginAs } from '../support/login.ts'
import { type Program, startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { servedPages, sharedBrowser } from './browser-steps.ts'

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
const CSS = `
:root { --background: rgb(250, 240, 230); }
:root.dark { --textSecondary: rgb(1, 2, 3); }
#login { border-top: 3px solid rgb(4, 5, 6); }
header { outline: 1px solid rgb(7, 8, 9); }
`

const openIn = sharedBrowser()
const openServed = servedPages(openIn)

async function brand(program: Program, branding: object): Promise<void> {
  const admin = await loginAs(program.origin)
  const settings = (await (await admin.fetch('/api/settings')).json()) as { branding: object }
  const response = await admin.fetch('/api/settings', {
    method: 'PUT',
    body: JSON.stringify({ ...settings, branding: { ...settings.branding, ...branding } }),
  })
  expect(response.status).toBe(200)
}

describe('branding', () => {
  it('shows the name and the logo of the instance', async () => {
    await using tree = await makeTree({ 'brand/img/logo.svg': LOGO, 'files/a.txt': 'x' })
    await using program = await startProgram(tree)
    await brand(program, { name: 'Müller & Söhne <Archiv>', files: tree.at('brand') })
    await using open = await openIn(program, { path: '/login', as: null })
    const { page } = open
    await page.getByRole('heading', { name: 'Sign in to Müller & Söhne <Archiv>' }).waitFor()
    await expect.poll(() => page.title()).toBe('Sign in - Müller & Söhne <Archiv>')
    const logo = page.locator('img.logo')
    const width = () => logo.evaluate((image) => (image as HTMLImageElement).naturalWidth)
    await expect.poll(width).toBe(8)
    expect(open.problems).toEqual([])
  })

  it('applies the old names of variables, ids and classes', async () => {
    await using tree = await makeTree({ 'brand/custom.css': CSS })
    await using program = await startProgram(tree)
    await brand(program, { files: tree.at('brand'), theme: 'dark' })
    await using open = await openIn(program, { path: '/login', as: null })
    const { page } = open
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.locator('html.dark').waitFor()
    const styleOf = (selector: string, name: string) =>
      page.evaluate(
        ([query = '', property = '']) => {
          const element = document.querySelector(query)
          return element ? getComputedStyle(element).getPropertyValue(property) : null
        },
        [selector, name],
      )
    const expectStyle = (selector: string, name: string, value: string) =>
      expect.poll(() => styleOf(selector, name)).toBe(value)
    await expectStyle('body', 'background-color', 'rgb(250, 240, 230)')
    await expectStyle('body', 'color', 'rgb(1, 2, 3)')
    await expectStyle('#login', 'border-top-color', 'rgb(4, 5, 6)')
    await page.goto('/404')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectStyle('header', 'outline-color', 'rgb(7, 8, 9)')
  })

  it('colours buttons, with text on them that can be read', async () => {
    await using tree = await makeTree({})
    await using program = await startProgram(tree)
    await brand(program, { color: '#ffd400' })
    await using open = await openIn(program, { path: '/login', as: null })
    const button = open.page.getByRole('button', { name: 'Sign in' })
    const style = () =>
      button.evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element)
        return { backgroundColor, color }
      })
    const wanted = { backgroundColor: 'rgb(255, 212, 0)', color: 'rgb(20, 27, 38)' }
    await expect.poll(style).toEqual(wanted)
  })

  it('shows name and colour as they are typed, before they are saved', async () => {
    await using open = await openServed({}, { path: '/settings/global' })
    const { page, program } = open
    const preview = page.locator('.brandview')
    await page.getByLabel('Instance name').fill('Attic')
    await preview.getByText('Attic', { exact: true }).waitFor()
    const button = preview.getByText('Upload')
    const styleOf = () =>
      button.evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element)
        return [backgroundColor, color]
      })
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#ffd400')
    await expect.poll(styleOf).toEqual(['rgb(255, 212, 0)', 'rgb(20, 27, 38)'])
    await page.getByLabel('Pick a colour').fill('#0b7a4b')
    await expect.poll(styleOf).toEqual(['rgb(11, 122, 75)', 'rgb(255, 255, 255)'])
    const admin = await loginAs(program.origin)
    const saved = await (await admin.fetch('/api/settings')).json()
    expect(saved).toMatchObject({ branding: { name: '', color: '' } })
  })

  it('works below a base URL', async () => {
    await using open = await openServed(
      { 'a.txt': 'x' },
      { path: '/fb/', as: null, args: ['--baseURL', '/fb'] },
    )
    const { page } = open
    await page.waitForURL('**/fb/login')
    await page.getByLabel('Username').fill('admin')
    await page.getByLabel('Password', { exact: true }).fill('correct horse 9 battery')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/fb/files/')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForURL('**/fb/settings/profile')
    await page.getByRole('heading', { name: 'File list' }).waitFor()
    await page.goBack()
    await page.waitForURL('**/fb/files/')
    expect(open.problems).toEqual([])
  })
})
