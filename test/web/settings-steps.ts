// What the tests of the settings have in common: accounts, settings, the question for the password.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { SettingsRecord, UserRecord } from '../../src/api-types.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program } from '../support/program.ts'

/** The password of accounts made by `createUser`. */
export const PASSWORD = 'a long enough sentence 3'

export async function confirm(page: Page, label: string, password: string = ADMIN.password) {
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const field = dialog.getByLabel('Your current password')
  // Within ten minutes it is asked once.
  await field.or(dialog.locator('[data-confirmed]')).waitFor()
  if (await field.isVisible()) await field.fill(password)
  await dialog.getByRole('button', { name: label }).click()
}

/** `origin` may carry a base URL. */
export async function createUser(
  { origin }: Pick<Program, 'origin'>,
  user: Partial<UserRecord>,
): Promise<number> {
  const admin = await loginAs(origin)
  const { defaults } = (await (await admin.fetch('/api/settings')).json()) as {
    defaults: Partial<UserRecord>
  }
  const data = { ...defaults, rules: [], lockPassword: false, password: PASSWORD, ...user }
  const response = await admin.fetch('/api/users', {
    method: 'POST',
    body: JSON.stringify({
      what: 'user',
      which: [],
      current_password: ADMIN.password,
      data: { ...data, id: 0 },
    }),
  })
  expect(response.status).toBe(201)
  return Number(response.headers.get('location')?.split('/').pop())
}

export async function readUser(program: Program, id: number): Promise<UserRecord> {
  const admin = await loginAs(program.origin)
  return (await (await admin.fetch(`/api/users/${id}`)).json()) as UserRecord
}

export async function changeSettings(
  program: Program,
  change: (settings: SettingsRecord) => Partial<SettingsRecord>,
): Promise<void> {
  const admin = await loginAs(program.origin)
  const settings = (await (await admin.fetch('/api/settings')).json()) as SettingsRecord
  const body = JSON.stringify({ ...settings, ...change(settings) })
  const response = await admin.fetch('/api/settings', { method: 'PUT', body })
  expect(response.status).toBe(200)
}
