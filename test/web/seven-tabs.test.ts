// Seven tabs of one browser while a job runs: a browser has six connections to a server of HTTP/1.1, and a tab that
// listens to jobs keeps one. Only the tab in sight does. Steered by DevTools alone, as what steers pages elsewhere in
// these tests tells each of them that it is in sight.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findFullChromium } from '../support/browser.ts'
import { waitFor } from '../support/deadline.ts'
import { begin, jobOf } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { startProgram } from '../support/program.ts'
import { openRemote } from '../support/remote-server.ts'
import { makeTree } from '../support/tree.ts'

const TABS = 7

interface Tab {
  /** Runs an expression in the page, waits for it, and gives its value. */
  run<T>(expression: string): Promise<T>
  /** Brings it into sight. */
  show(): Promise<void>
  close(): void
}

interface Tabs extends AsyncDisposable {
  open(url: string): Promise<Tab>
}

/** A browser with one window. */
async function openTabs(cookie: { url: string; value: string }): Promise<Tabs> {
  const profile = await mkdtemp(join(tmpdir(), 'filebrowser-tabs-'))
  const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0']
  const browser = spawn(
    findFullChromium(),
    [...args, `--user-data-dir=${profile}`, 'about:blank'],
    {
      stdio: 'ignore',
    },
  )
  const ended = once(browser, 'exit')
  const port = await waitFor('the browser', async () => {
    const text = await readFile(join(profile, 'DevToolsActivePort'), 'utf8')
    return text.split('\n')[0]
  })
  const origin = `http://127.0.0.1:${port}`
  return {
    open: async (url) => {
      const made = await fetch(`${origin}/json/new?about:blank`, { method: 'PUT' })
      const { id, webSocketDebuggerUrl } = (await made.json()) as Record<string, string>
      const call = await connect(webSocketDebuggerUrl ?? '')
      const { value, url: of } = cookie
      await call('Network.setCookie', { name: 'auth', value, url: of, httpOnly: true })
      await call('Page.navigate', { url })
      return {
        run: async (expression) => {
          const told = await call('Runtime.evaluate', {
            expression,
            awaitPromise: true,
            returnByValue: true,
          })
          return (told.result as { value: never }).value
        },
        show: async () => {
          await fetch(`${origin}/json/activate/${id}`)
        },
        close: call.close,
      }
    },
    async [Symbol.asyncDispose]() {
      browser.kill()
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Call = ((method: string, params: object) => Promise<Record<string, unknown>>) & {
  close(): void
}

async function connect(url: string): Promise<Call> {
  const socket = new WebSocket(url)
  await once(socket as unknown as EventTarget & NodeJS.EventEmitter, 'open')
  const waiting = new Map<number, (result: Record<string, unknown>) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(`${data}`) as { id?: number; result?: never }
    if (id === undefined) return
    waiting.get(id)?.(result ?? {})
    waiting.delete(id)
  })
  let last = 0
  const call = (method: string, params: object) => {
    const id = ++last
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise<Record<string, unknown>>((resolve) => waiting.set(id, resolve))
  }
  return Object.assign(call, { close: () => socket.close() })
}

const PANEL = `document.querySelector('section[aria-label=Activity]')?.innerText ?? ''`

it('all seven show the job and stay usable, and one of them listens', async () => {
  await using drip = await openRemote((_, response) => {
    response.writeHead(200, { 'Content-Length': 1e9 })
    const timer = setInterval(() => response.write(Buffer.alloc(50_000)), 100)
    response.once('close', () => clearInterval(timer))
  })
  await using tree = await makeTree({ 'a.txt': 'a', to: null })
  await using program = await startProgram(tree, { args: ['--fetchFrom', drip.host] })
  const admin = await loginAs(program.origin)
  const { id } = await begin(admin, { kind: 'fetch', url: `${drip.origin}/x.bin`, to: '/to' })
  const [, value = ''] = /auth=([^;]*)/.exec(admin.cookie) ?? []
  await using browser = await openTabs({ url: program.origin, value })
  const tabs: Tab[] = []
  for (let n = 0; n < TABS; n++) {
    const tab = await browser.open(`${program.origin}/files/`)
    tabs.push(tab)
    await tab.show()
    await waitFor(`tab ${n + 1}`, () => tab.run<boolean>(`${PANEL}.includes('x.bin')`))
  }
  const seen = () => Promise.all(tabs.map((tab) => tab.run<string>('document.visibilityState')))
  await expect.poll(seen).toEqual([...Array(TABS - 1).fill('hidden'), 'visible'])
  // Six that listened would leave no connection for these.
  const statuses = await Promise.all(
    tabs.map((tab) => tab.run<number>(`fetch('/health').then(({ status }) => status)`)),
  )
  expect(statuses).toEqual(Array(TABS).fill(200))
  for (const tab of tabs) {
    await tab.show()
    const before = await tab.run<string>(PANEL)
    await waitFor('what comes', async () => (await tab.run<string>(PANEL)) !== before)
  }
  expect((await jobOf(admin, id)).state).toBe('running')
  for (const tab of tabs) tab.close()
})
