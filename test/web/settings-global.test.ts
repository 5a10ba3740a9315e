// The settings of the instance: every field is saved, survives a reload and takes effect.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { SettingsRecord } from '../../src/api-types.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, type Program } from '../support/program.ts'
import { folderPages, servedPages } from './browser-steps.ts'
import { entry } from './listing-steps.ts'
import { changeSettings, confirm } from './settings-steps.ts'

const PATH = '/settings/global'

const openServed = servedPages()
/** For what changes no settings. */
const openPlain = folderPages()

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Settings saved').first().waitFor()
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
}

async function readSettings(program: Pick<Program, 'origin'>): Promise<SettingsRecord> {
  const admin = await loginAs(program.origin)
  return (await (await admin.fetch('/api/settings')).json()) as SettingsRecord
}

const DEFAULT_SWITCHES = [
  'Hide files that start with a dot',
  'Open with a single click',
  'Show exact dates',
  'Delete files and folders',
  'Create and upload',
  // Before downloading, which it needs.
  'Share',
  'Rename and move',
  'Download',
  'Edit files',
  'Run commands',
]

/** Label and value of every field of the page, top to bottom. */
async function shownFields(page: Page): Promise<[string, string | boolean][]> {
  await page.getByLabel('Instance name').waitFor()
  return page
    .locator('.set__page :is(input, select, textarea)')
    .evaluateAll((fields) =>
      (fields as HTMLInputElement[]).map((field) => [
        field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? '',
        field.type === 'checkbox' ? field.checked : field.value,
      ]),
    )
}

describe('global settings', () => {
  it('save every field and show it again after a reload', async () => {
    await using open = await openServed({}, { path: PATH, args: ['--disableExec=false'] })
    const { page, program, tree } = open
    const before = (await readSettings(program)).defaults
    await page.getByRole('switch', { name: 'Allow sign-up' }).check()
    await page.getByRole('switch', { name: 'Create a home folder for new users' }).check()
    await page.getByRole('switch', { name: 'Hide the sign-in link on public pages' }).check()
    await page.getByLabel('Home folder base path').fill('/homes')
    await page.getByLabel('Minimum password length').fill('9')
    await page.getByLabel('Instance name').fill('Attic')
    await page.getByLabel('Theme for everyone').selectOption('dark')
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('#0b7a4b')
    await page.getByLabel('Branding folder').fill(tree.outside)
    await page.getByRole('switch', { name: 'Hide external links' }).check()
    await page.getByRole('switch', { name: 'Hide the storage bar' }).check()
    await page.getByLabel('Chunk size').fill('2.5m')
    await page.getByLabel('Retries').fill('7')
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Path of rule 1').fill('/private')
    await page.getByLabel('Root folder').fill('/shared')
    await page.getByLabel('View').selectOption('mosaic')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('de')
    for (const name of DEFAULT_SWITCHES) {
      await page.getByRole('switch', { name, exact: true }).click()
    }
    await page.getByLabel('Commands', { exact: true }).fill('git du ')
    await page.locator('summary').filter({ hasText: 'After an upload' }).click()
    await page.getByRole('textbox', { name: 'After an upload' }).fill('true $FILE\n\n/bin/true')
    await page.getByLabel('Shell', { exact: true }).fill('/bin/sh  -c')
    await save(page)

    const settings = await readSettings(program)
    expect(settings).toMatchObject({
      signup: true,
      createUserDir: true,
      hideLoginButton: true,
      userHomeBasePath: '/homes',
      minimumPasswordLength: 9,
      branding: {
        name: 'Attic',
        theme: 'dark',
        color: '#0b7a4b',
        files: tree.outside,
        disableExternal: true,
        disableUsedPercentage: true,
      },
      tus: { chunkSize: 2.5 * 1024 * 1024, retryCount: 7 },
      rules: [{ allow: false, regex: false, path: '/private' }],
      shell: ['/bin/sh', '-c'],
    })
    expect(settings.defaults).toMatchObject({
      scope: '/shared',
      locale: 'de',
      viewMode: 'mosaic',
      commands: ['git', 'du'],
      hideDotfiles: !before.hideDotfiles,
      singleClick: !before.singleClick,
      redirectAfterCopyMove: before.redirectAfterCopyMove,
      dateFormat: !before.dateFormat,
    })
    const { admin, ...others } = before.perm
    const flipped = Object.entries(others).map(([right, has]) => [right, !has])
    expect(settings.defaults.perm).toEqual({ admin, ...Object.fromEntries(flipped) })
    expect(settings.commands.after_upload).toEqual(['true $FILE', '/bin/true'])

    const shown = async () => Object.fromEntries(await shownFields(page))
    await expect.poll(shown).toMatchObject({
      'Allow sign-up': true,
      'Home folder base path': '/homes',
      'Instance name': 'Attic',
      'Chunk size': '2.5 MB',
      'Path of rule 1': '/private',
      Shell: '/bin/sh -c',
    })
    const saved = await shownFields(page)
    await page.reload()
    await expect.poll(() => shownFields(page)).toEqual(saved)
    await page.getByRole('button', { name: 'Remove git' }).waitFor()
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
    await expect.poll(() => page.title()).toBe('Global settings - Settings - Attic')
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('make a rule for everyone, and a command that runs after an upload', async () => {
    await using open = await openServed(
      { 'private/plan.txt': 'x', 'public.txt': 'x' },
      { path: PATH, args: ['--disableExec=false'] },
    )
    const { page, program, tree } = open
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Path of rule 1').fill('/private')
    await page.locator('summary').filter({ hasText: 'After an upload' }).click()
    await page.getByRole('textbox', { name: 'After an upload' }).fill('cp "$FILE" "$FILE.kept"')
    await page.getByLabel('Shell', { exact: true }).fill('/bin/sh -c')
    await save(page)
    await page.getByRole('link', { name: 'Back to files' }).click()
    await entry(page, 'public.txt').waitFor()
    expect(await entry(page, 'private').count()).toBe(0)
    const admin = await loginAs(program.origin)
    expect((await admin.fetch('/api/resources/private/plan.txt')).status).toBe(403)
    await admin.fetch('/api/resources/sent.txt', { method: 'POST', body: 'sent' })
    const kept = () => tree.read('sent.txt.kept').catch(() => null)
    expect(String(await waitFor('what the command does', kept))).toBe('sent')
    expect(open.problems).toEqual([])
  })

  it('take shorter passwords at once, for others and for oneself', async () => {
    await using open = await openServed({}, { path: PATH })
    const { page, program } = open
    await page.getByLabel('Minimum password length').fill('8')
    await save(page)
    await page.getByRole('link', { name: 'User management' }).click()
    await page.getByRole('link', { name: 'New user' }).click()
    await page.getByLabel('Username').fill('shorty')
    await page.getByLabel('Password', { exact: true }).fill('kx7-q2mz')
    await page.getByRole('button', { name: 'Create user' }).click()
    await confirm(page, 'Create user')
    await page.getByText('User created').first().waitFor()
    await loginAs(program.origin, 'shorty', 'kx7-q2mz')

    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByText('At least 8 characters.').waitFor()
    await page.getByLabel('Current password').fill(ADMIN.password)
    await page.getByLabel('New password', { exact: true }).fill('wp4-t9rn')
    await page.getByLabel('Confirm new password').fill('wp4-t9rn')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Password and settings saved').first().waitFor()
    await loginAs(program.origin, ADMIN.username, 'wp4-t9rn')
    expect(open.problems).toEqual([])
  })

  it('leave alone a chunk size of 0, which sends files whole', async () => {
    await using open = await openServed(
      {},
      {
        path: '/settings/profile',
        prepare: (program) =>
          changeSettings(program, () => ({ tus: { chunkSize: 0, retryCount: 5 } })),
      },
    )
    const { page, program } = open
    await page.clock.install()
    await page.getByRole('link', { name: 'Global settings' }).click()
    const field = page.getByLabel('Chunk size')
    await field.waitFor()
    await page.clock.runFor(2000)
    await expect.poll(() => field.inputValue()).toBe('0 B')
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
    await page.getByLabel('Instance name').fill('Attic')
    await save(page)
    expect((await readSettings(program)).tus).toEqual({ chunkSize: 0, retryCount: 5 })
  })

  it('point out what is wrong and send nothing, and read a chunk size nobody understands as 1 MB', async () => {
    await using open = await openPlain({}, { path: PATH })
    const { page } = open
    const field = page.getByLabel('Chunk size')
    await field.fill('a lot')
    await page.getByText('Interpreted as 1 MB').waitFor()
    await field.blur()
    await expect.poll(() => field.inputValue()).toBe('1 MB')
    await page.getByLabel('Minimum password length').fill('0')
    await page.getByText('At least 1.').waitFor()
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('blue')
    await page.getByText(/Enter # and six/).waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    expect((await readSettings(open)).minimumPasswordLength).toBe(12)
  })

  it('write a chunk size the usual way when typing pauses for 1.5 s, not before', async () => {
    await using open = await openPlain({}, { path: '/404' })
    const { page } = open
    // Before the page: a timer of before would end by the real clock.
    await page.clock.install()
    await page.goto(PATH)
    const field = page.getByLabel('Chunk size')
    await field.waitFor()
    await page.clock.pauseAt(Date.now() + 60_000)
    await field.fill('2')
    await page.clock.runFor(1400)
    await field.pressSequentially('.5g')
    await page.clock.runFor(1400)
    await expect.poll(() => field.inputValue()).toBe('2.5g')
    await page.clock.runFor(200)
    await waitFor('the usual way', async () => (await field.inputValue()) === '2.5 GB')
    expect(open.problems).toEqual([])
  })

  it('show hooks and shell only where commands are enabled, webhooks always', async () => {
    await using open = await openPlain({}, { path: PATH })
    await open.page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    expect(await open.page.getByRole('heading', { name: 'Command hooks' }).count()).toBe(0)
    expect(await open.page.getByRole('switch', { name: 'Run commands' }).count()).toBe(0)
  })

  it('make a webhook that is told about an upload', async () => {
    const seen = Promise.withResolvers<string>()
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += String(chunk)
      })
      request.on('end', () => {
        response.end()
        seen.resolve(body)
      })
    }).listen(0, '127.0.0.1')
    try {
      await using open = await openServed({}, { path: PATH })
      const { page, program } = open
      await page.getByRole('button', { name: 'Add webhook' }).click()
      const { port } = receiver.address() as AddressInfo
      await page.getByLabel('Address of webhook 1').fill(`http://127.0.0.1:${port}/hook`)
      await page.getByRole('button', { name: 'After deleting' }).click()
      await save(page)
      const { webhookSecret } = await readSettings(program)
      await expect.poll(() => page.getByLabel('Signing key').inputValue()).toBe(webhookSecret)
      expect((await readSettings(program)).webhooks).toEqual([
        {
          url: `http://127.0.0.1:${port}/hook`,
          events: ['after_upload', 'after_delete'],
          enabled: true,
        },
      ])
      const admin = await loginAs(program.origin)
      await admin.fetch('/api/resources/told.txt', { method: 'POST', body: 'x' })
      const body = await withDeadline('the webhook', 60_000, seen.promise)
      expect(body).toContain('told.txt')
    } finally {
      receiver.close()
    }
  })
})
