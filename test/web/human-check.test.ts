// The human check of the login page: answered, unanswered, reset, and blocked.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ADMIN, startConfigured } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'
import { sharedBrowser } from './browser-steps.ts'
import { makeShare } from './share-steps.ts'

const openIn = sharedBrowser()

/** The settings of a human check whose service is at `host`. */
function humanCheck(host: string): string[] {
  return [
    ...['--auth.method', 'json', '--recaptcha.key', 'site'],
    ...['--recaptcha.secret', 'hidden', '--recaptcha.host', host],
  ]
}

describe('the human check', () => {
  it('has to be answered, and is reset after a wrong password', async () => {
    const asked: string[] = []
    // The service: its script, and the address where the server has answers verified.
    const service = createServer((request, response) => {
      if (request.url?.startsWith('/recaptcha/api.js')) {
        response.setHeader('Content-Type', 'text/javascript')
        response.end(FAKE_CHECK)
        return
      }
      let body = ''
      request.on('data', (chunk) => {
        body += String(chunk)
      })
      request.on('end', () => {
        asked.push(body)
        response.end(JSON.stringify({ success: body.includes('response=human') }))
      })
    }).listen(0, '127.0.0.1')
    try {
      await using tree = await makeTree({})
      const { port } = service.address() as AddressInfo
      await using program = await startConfigured(tree, humanCheck(`http://127.0.0.1:${port}`))
      await using open = await openIn(program, { path: '/login', as: null })
      const { page } = open
      await page.getByText('I am human').waitFor()
      await page.getByLabel('Username').fill(ADMIN.username)
      await page.getByLabel('Password', { exact: true }).fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Confirm that you’re not a robot.').waitFor()
      expect(asked).toEqual([])
      await page.getByText('I am human').click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Incorrect username or password.').waitFor()
      await expect.poll(() => asked[0]).toContain('secret=hidden')
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Confirm that you’re not a robot.').waitFor()
      await page.getByText('I am human').click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL('**/files/')
    } finally {
      service.close()
    }
  })
})

describe('a human check that is blocked', () => {
  it('says so after a while, sends nothing, and holds up no share', async () => {
    await using tree = await makeTree({ 'a.txt': 'x' })
    let hash = ''
    await using program = await startConfigured(
      tree,
      humanCheck('http://127.0.0.1:9'),
      async (before) => {
        hash = await makeShare(before, '/a.txt')
      },
    )
    await using open = await openIn(program, { path: `/share/${hash}`, as: null })
    const { page } = open
    await page.getByRole('heading', { name: 'a.txt' }).waitFor()
    await page.clock.install()
    await page.goto('/login')
    await page.getByLabel('Username').fill(ADMIN.username)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    const sent: string[] = []
    page.on('request', (request) => sent.push(new URL(request.url()).pathname))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Confirm that you’re not a robot.').waitFor()
    await page.clock.runFor(15_000)
    await page.getByText('The CAPTCHA couldn’t be loaded.').waitFor()
    expect(sent).not.toContain('/api/login')
  })
})

/** What the page needs of the service's script: a box that gives an answer once it is clicked. */
const FAKE_CHECK = `
let answer = ''
window.grecaptcha = {
  render(element) {
    const box = document.createElement('button')
    box.type = 'button'
    box.textContent = 'I am human'
    box.onclick = () => { answer = 'human' }
    element.append(box)
    return 0
  },
  getResponse: () => answer,
  reset: () => { answer = '' },
}
`
