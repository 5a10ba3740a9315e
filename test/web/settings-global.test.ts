// The settings of the instance: every field is saved, survives a reload and takes effect.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { SettingsRecord } from '../../src/api-types.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import type { Program } from '../support/program.ts'
import { servedPages } from './browser-steps.ts'

const PATH = '/settings/global'

const openServed = servedPages()

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Settings saved').first().waitFor()
  await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' })
}

async function readSettings(program: Program): Promise<SettingsRecord> {
  const admin = await loginAs(program.origin)
  return (await (await admin.fetch('/api/settings')).json()) as SettingsRecord
}

describe('global settings', () => {
  it('save every field and show it again after a reload', async () => {
    await using open = await openServed({}, { path: PATH, args: ['--disableExec=false'] })
    const { page, program, tree } = open
    await page.getByRole('switch', { name: 'Allow people to sign up' }).check()
    await page.getByRole('switch', { name: 'Create a home folder for new users' }).check()
    await page.getByRole('switch', { name: 'Hide the login link on public pages' }).check()
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
    await page.getByLabel('Scope').fill('/shared')
    await page.getByLabel('View').selectOption('mosaic')
    await page.getByRole('switch', { name: 'Edit files' }).uncheck()
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
      viewMode: 'mosaic',
      commands: ['git', 'du'],
    })
    expect(settings.defaults.perm.modify).toBe(false)
    expect(settings.commands.after_upload).toEqual(['true $FILE', '/bin/true'])

    await page.reload()
    expect(await page.getByLabel('Chunk size').inputValue()).toBe('2.5 MB')
    expect(await page.getByLabel('Shell', { exact: true }).inputValue()).toBe('/bin/sh -c')
    expect(await page.getByLabel('Instance name').inputValue()).toBe('Attic')
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    expect(await page.title()).toBe('Global settings - Settings - Attic')
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0)
    expect(open.problems).toEqual([])
  })

  it('point out what is wrong and send nothing', async () => {
    await using open = await openServed({}, { path: PATH })
    const { page, program } = open
    await page.getByLabel('Minimum password length').fill('0')
    await page.getByText('At least 1.').waitFor()
    await page.getByRole('textbox', { name: 'Colour', exact: true }).fill('blue')
    await page.getByText(/Write it as #/).waitFor()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    expect((await readSettings(program)).minimumPasswordLength).toBe(12)
  })

  it('read a chunk size nobody understands as 1 MB and say so', async () => {
    await using open = await openServed({}, { path: PATH })
    const field = open.page.getByLabel('Chunk size')
    await field.fill('a lot')
    await open.page.getByText('Read as 1 MB').waitFor()
    await field.blur()
    expect(await field.inputValue()).toBe('1 MB')
  })

  it('write a chunk size the usual way when typing pauses for 1.5 s, not before', async () => {
    await using open = await openServed({}, { path: PATH })
    const { page } = open
    const field = page.getByLabel('Chunk size')
    await field.waitFor()
    await page.clock.install()
    await field.fill('2')
    await page.clock.runFor(1400)
    await field.pressSequentially('.5g')
    await page.clock.runFor(1400)
    expect(await field.inputValue()).toBe('2.5g')
    await page.clock.runFor(200)
    await waitFor('the usual way', async () => (await field.inputValue()) === '2.5 GB')
    expect(open.problems).toEqual([])
  })

  it('show hooks and shell only where commands are enabled, webhooks always', async () => {
    await using open = await openServed({}, { path: PATH })
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
      expect(await page.getByLabel('Signing key').inputValue()).toBe(webhookSecret)
      expect((await readSettings(program)).webhooks).toEqual([
        {
          url: `http://127.0.0.1:${port}/hook`,
          events: ['after_upload', 'after_delete'],
          enabled: true,
        },
      ])
      const admin = await loginAs(program.origin)
      await admin.fetch('/api/resources/told.txt', { method: 'POST', body: 'x' })
      const body = await withDeadline('the webhook', 10_000, seen.promise)
      expect(body).toContain('told.txt')
    } finally {
      receiver.close()
    }
  })
})
