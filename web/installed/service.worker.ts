// The service worker of the installed program: shows the interface without a connection, and takes the files
// that other programs share. It caches the page and its hashed files, never an answer of the API.
//
// Built by itself as `static/sw.js`; a page registers it only when it runs as an installed program.

import type { LoadedMessage } from '../lib/page/installed.ts'
import { SHARED_CACHE } from '../lib/page/installed.ts'

/** Names the build, so that files of an earlier one leave with it. */
declare const __BUILD__: string

interface ExtendableEvent extends Event {
  waitUntil(promise: Promise<unknown>): void
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
interface MessageEventOfWorker extends ExtendableEvent {
  readonly data: unknown
}
interface NotificationEvent extends ExtendableEvent {
  readonly notification: Notification
}
interface WindowClient {
  focus(): Promise<unknown>
}
interface WorkerScope {
  readonly registration: { readonly scope: string }
  readonly clients: {
    matchAll(options: { type: 'window' }): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
  addEventListener(type: 'message', listener: (event: MessageEventOfWorker) => void): void
  addEventListener(type: 'notificationclick', listener: (event: NotificationEvent) => void): void
}

const worker = globalThis as unknown as WorkerScope
/** The base URL with a slash at its end. */
const base = new URL(worker.registration.scope).pathname
const CACHE = `fb-interface-${__BUILD__}`
/** The page, whatever address it is asked for by: the address is read by its script. */
const PAGE = `${base}files/`
const SHARE_TARGET = `${base}share-target`
/** Files of the interface whose name carries a hash of their content. */
const HASHED = /\/static\/[^/]+-[A-Z0-9]{8}\.\w+$/
/** Everything else below the base URL is data, or answered by other programs. */
const PAGES = /^(|files(\/.*)?|settings(\/.*)?|login)$/

worker.addEventListener('install', (event) => event.waitUntil(keepPage()))
worker.addEventListener('activate', (event) => event.waitUntil(dropOldCaches()))

worker.addEventListener('message', (event) => {
  const { loaded } = event.data as Partial<LoadedMessage>
  if (loaded) event.waitUntil(keepFiles(loaded))
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(showWindow())
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== location.origin || !pathname.startsWith(base)) return
  if (request.method === 'POST' && pathname === SHARE_TARGET) {
    event.respondWith(takeShared(request))
  } else if (request.method === 'GET' && request.mode === 'navigate') {
    if (PAGES.test(pathname.slice(base.length))) event.respondWith(openPage(request))
  } else if (request.method === 'GET' && HASHED.test(pathname)) {
    event.respondWith(openFile(request))
  }
})

async function keepPage(): Promise<void> {
  const cache = await caches.open(CACHE)
  await cache.add(new Request(PAGE, { cache: 'no-store' }))
}

async function dropOldCaches(): Promise<void> {
  const names = await caches.keys()
  const old = names.filter((name) => name.startsWith('fb-interface-') && name !== CACHE)
  await Promise.all(old.map((name) => caches.delete(name)))
}

async function keepFiles(urls: readonly string[]): Promise<void> {
  const cache = await caches.open(CACHE)
  for (const url of urls) {
    const { origin, pathname } = new URL(url, location.href)
    if (origin !== location.origin || !HASHED.test(pathname)) continue
    // One that cannot be had now is fetched when it is used.
    if (!(await cache.match(url))) await cache.add(url).catch(() => {})
  }
}

/** The server's page, or without a connection the one that was kept. */
async function openPage(request: Request): Promise<Response> {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await caches.match(PAGE)
    if (!kept) throw error
    return kept
  }
}

async function openFile(request: Request): Promise<Response> {
  const kept = await caches.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) {
    const cache = await caches.open(CACHE)
    // A full disk must not break the page.
    await cache.put(request, response.clone()).catch(() => {})
  }
  return response
}

/** Puts shared files where the page finds them, and opens it (Web Share Target, W3C). */
async function takeShared(request: Request): Promise<Response> {
  const form = await request.formData()
  const files = form.getAll('files').filter((part) => part instanceof File)
  const text = ['title', 'text', 'url']
    .map((name) => form.get(name))
    .filter((part): part is string => typeof part === 'string' && part !== '')
  if (files.length === 0 && text.length > 0) {
    files.push(new File([`${text.join('\n')}\n`], 'Shared text.txt', { type: 'text/plain' }))
  }
  const cache = await caches.open(SHARED_CACHE)
  for (const [index, file] of files.entries()) {
    const headers = {
      'Content-Type': file.type || 'application/octet-stream',
      'X-Name': encodeURIComponent(file.name),
      'X-Modified': String(file.lastModified),
    }
    const address = `${base}shared/${Date.now()}-${index}`
    await cache.put(address, new Response(file, { headers }))
  }
  return Response.redirect(PAGE, 303)
}

async function showWindow(): Promise<void> {
  const [client] = await worker.clients.matchAll({ type: 'window' })
  if (client) await client.focus()
  else await worker.clients.openWindow(PAGE)
}
