// A custom.css written for File Browser sets the colours it was written for: each variable of the list
// of promised names changes what is seen.

import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { waitFor } from '../support/deadline.ts'
import { sharedSite } from './browser-steps.ts'
import { entry, showList } from './listing-steps.ts'
import { changeSettings } from './settings-steps.ts'

const variables = [
  ...'--blue --dark-blue --red --dark-red --background --surfacePrimary'.split(' '),
  ...'--surfaceSecondary --textPrimary --textSecondary --iconPrimary --iconSecondary'.split(' '),
  ...'--iconTertiary --action --hover --borderPrimary --borderSecondary --dividerPrimary'.split(
    ' ',
  ),
  ...'--dividerSecondary --item-selected --input-red --input-green --icon-red'.split(' '),
  ...'--icon-orange --icon-yellow --icon-green --icon-blue --icon-violet'.split(' '),
]
/** A colour that nothing else has. */
const colourOf = (variable: string) => `rgb(201, ${100 + variables.indexOf(variable)}, 33)`
const CSS = variables.map((variable) => `${variable}: ${colourOf(variable)};`).join('\n')

const site = sharedSite(() => ({
  'brand/custom.css': `:root {\n${CSS}\n}`,
  ...Object.fromEntries(
    ['a.pdf', 'b.svg', 'c.zip', 'd.ods', 'e.mkv', 'f.txt'].map((name) => [`files/${name}`, 'x']),
  ),
  'files/folder': null,
}))

beforeAll(async () => {
  await changeSettings(site.program, ({ branding }) => ({
    branding: { ...branding, files: site.tree.at('brand') },
  }))
})

/** Variables that have been seen, over all tests of this file. */
const seen = new Set<string>()

/** Waits until something visible has the colour of each variable. */
async function expectSeen(page: Page, wanted: string) {
  for (const variable of wanted.split(' ')) {
    await waitFor(`the colour of ${variable}`, () =>
      page.evaluate((colour) => {
        const properties = ['color', 'fill', 'backgroundColor', 'borderTopColor'] as const
        const more = ['borderBottomColor', 'borderInlineEndColor'] as const
        return [...document.querySelectorAll('*')].some((element) => {
          const style = getComputedStyle(element)
          return (
            element.checkVisibility() &&
            element.getBoundingClientRect().width > 0 &&
            [...properties, ...more].some((property) => style[property] === colour)
          )
        })
      }, colourOf(variable)),
    )
    seen.add(variable)
  }
}

it('in the listing', async () => {
  await using opened = await site.open({ path: '/files/files/' })
  const { page } = opened
  await showList(page)
  await expectSeen(page, '--background --surfacePrimary --surfaceSecondary --textPrimary --blue')
  await expectSeen(page, '--textSecondary --iconPrimary --iconTertiary --action')
  await expectSeen(page, '--dividerPrimary --dividerSecondary --borderPrimary')
  await expectSeen(page, '--icon-red --icon-orange --icon-yellow --icon-green --icon-violet')
  await expectSeen(page, '--icon-blue')
  await page.getByRole('button', { name: 'Details' }).hover()
  await expectSeen(page, '--iconSecondary --hover')
  await page.getByRole('button', { name: 'New', exact: true }).hover()
  await expectSeen(page, '--dark-blue')
  await entry(page, 'f.txt').click()
  await expectSeen(page, '--item-selected')
  await page.keyboard.press('Delete')
  await expectSeen(page, '--red')
  await page.getByRole('button', { name: 'Delete', exact: true }).last().hover()
  await expectSeen(page, '--dark-red')
})

it('in fields', async () => {
  await using opened = await site.open({ path: '/settings/profile' })
  const { page } = opened
  await page.getByLabel('New password', { exact: true }).fill('a long enough one 7')
  await page.getByLabel('Confirm new password', { exact: true }).fill('another one')
  await expectSeen(page, '--borderSecondary --input-red')
  await page.getByLabel('Confirm new password', { exact: true }).fill('a long enough one 7')
  await expectSeen(page, '--input-green')
})

it('and nowhere is a variable missing', () => {
  expect(variables.filter((variable) => !seen.has(variable))).toEqual([])
})
