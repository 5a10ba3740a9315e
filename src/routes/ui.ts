// The interface over HTTP: index page, its files, branding files, web app manifest, health.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { Hono } from 'hono'
import { contentTypeOf } from '../assets.ts'
import { AppError } from '../errors.ts'
import { createScope, type OpenFile } from '../files/scope.ts'
import { toVPath, type VPath } from '../files/vpath.ts'
import type { Settings } from '../store/document.ts'
import type { Ctx, Deps, Env } from './env.ts'
import { pagePolicy, presentBoot, presentManifest, renderPage } from './page.ts'
import { PAGE } from './request-path.ts'
import { sendStatus } from './respond.ts'

/** For scripts, which as workers live under the policy they come with. */
const SCRIPT_POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' blob: data:"
/** For everything else: a picture opened in its own tab runs nothing. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

const DAY = 'public, max-age=86400'
const FOREVER = 'public, max-age=31536000, immutable'
const NEVER = 'no-cache, no-store, must-revalidate'
/** Logos and style sheets; anything larger is no branding. */
const MAX_BRANDING_BYTES = 32 * 1024 * 1024

export function uiRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()

  app.all('/health', () => {
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Security-Policy': FILE_POLICY,
    }
    return new Response('{"status":"OK"}', { headers })
  })

  app.get('/static', async (c) => {
    const { rest, trailingSlash, vpath } = c.env.target
    if (trailingSlash || rest === '/') return sendStatus(404, { code: 'not_found' })
    const name = rest.slice(1)
    const { settings } = deps.store.read()
    if (name === 'site.webmanifest') return sendManifest(deps, settings)
    return (await sendBranding(c, settings, vpath)) ?? (await sendAsset(c, deps, name))
  })

  app.get(PAGE, async (c) => {
    const { settings } = deps.store.read()
    const nonce = randomBytes(16).toString('base64')
    const boot = presentBoot(deps.config, settings, await hasCustomStyle(settings))
    const html = renderPage({
      boot,
      page: await deps.assets.page(),
      nonce,
      acceptLanguage: c.req.header('accept-language') ?? '',
    })
    return new Response(html, {
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': NEVER,
        'Content-Security-Policy': pagePolicy(nonce, boot),
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Referrer-Policy': 'same-origin',
        'X-Content-Type-Options': 'nosniff',
        'X-Frame-Options': 'SAMEORIGIN',
        'X-XSS-Protection': '1; mode=block',
      },
    })
  })

  return app
}

async function sendAsset(c: Ctx, deps: Deps, name: string): Promise<Response> {
  const asset = await deps.assets.find(name, c.req.header('accept-encoding') ?? '')
  if (!asset) {
    const headers = { 'Content-Security-Policy': FILE_POLICY }
    return sendStatus(404, { code: 'not_found', headers })
  }
  const headers = new Headers({
    'Content-Type': asset.contentType,
    'Cache-Control': asset.immutable ? FOREVER : DAY,
    'Content-Security-Policy': /javascript/.test(asset.contentType) ? SCRIPT_POLICY : FILE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    ETag: asset.etag,
  })
  if (asset.varies) headers.set('Vary', 'Accept-Encoding')
  if (matches(c.req.header('if-none-match'), asset.etag))
    return new Response(null, { status: 304, headers })
  if (asset.encoding !== 'identity') headers.set('Content-Encoding', asset.encoding)
  return new Response(new Uint8Array(asset.bytes), { headers })
}

function sendManifest(deps: Deps, settings: Settings): Response {
  const manifest = presentManifest(presentBoot(deps.config, settings, false))
  return new Response(JSON.stringify(manifest), {
    headers: {
      'Content-Type': contentTypeOf('site.webmanifest'),
      'Cache-Control': 'no-cache',
      'Content-Security-Policy': FILE_POLICY,
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

/** A file of the branding folder: custom.css and whatever lies below img/. Null when not there. */
async function sendBranding(c: Ctx, settings: Settings, vpath: VPath): Promise<Response | null> {
  const file = await openBranding(settings, vpath)
  if (!file) return null
  try {
    const headers = new Headers({
      'Content-Type': contentTypeOf(file.name),
      'Cache-Control': DAY,
      'Content-Security-Policy': FILE_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Accept-Ranges': 'bytes',
      'Last-Modified': new Date(file.mtimeMs).toUTCString(),
    })
    const since = Date.parse(c.req.header('if-modified-since') ?? '')
    if (since >= Math.floor(file.mtimeMs / 1000) * 1000)
      return new Response(null, { status: 304, headers })
    const range = parseRange(c.req.header('range'), file.sizeBytes)
    const { start, end } = range ?? { start: 0, end: file.sizeBytes }
    const bytes = new Uint8Array(end - start)
    const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, start)
    if (range) headers.set('Content-Range', `bytes ${start}-${end - 1}/${file.sizeBytes}`)
    return new Response(bytes.subarray(0, bytesRead), { status: range ? 206 : 200, headers })
  } finally {
    await file.handle.close()
  }
}

async function openBranding(settings: Settings, vpath: VPath): Promise<OpenFile | null> {
  if (settings.branding.files === '') return null
  if (vpath !== '/custom.css' && !vpath.startsWith('/img/')) return null
  const scope = createScope({
    root: resolve(settings.branding.files),
    allow: () => true,
    followExternalSymlinks: false,
    fileMode: 0,
    dirMode: 0,
  })
  try {
    const file = await scope.openRead(vpath)
    if (file.sizeBytes <= MAX_BRANDING_BYTES) return file
    await file.handle.close()
    return null
  } catch (error) {
    // Whatever the branding folder does not have, or will not give, the built-in files may.
    if (error instanceof AppError) return null
    throw error
  }
}

async function hasCustomStyle(settings: Settings): Promise<boolean> {
  const vpath = toVPath('/custom.css')
  const file = vpath && (await openBranding(settings, vpath))
  await file?.handle.close()
  return Boolean(file)
}

/** True when an If-None-Match header names the validator, weakly compared (RFC 9110 13.1.2). */
function matches(header: string | undefined, etag: string): boolean {
  if (!header) return false
  if (header.trim() === '*') return true
  return header.split(',').some((item) => item.trim().replace(/^W\//, '') === etag)
}

/** One `bytes=a-b`, `a-` or `-n` range, end exclusive; null when absent or not to be honoured. */
function parseRange(
  header: string | undefined,
  sizeBytes: number,
): { start: number; end: number } | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!match || (!match[1] && !match[2])) return null
  const start = match[1] ? Number(match[1]) : Math.max(0, sizeBytes - Number(match[2]))
  const end = match[1] && match[2] ? Math.min(Number(match[2]) + 1, sizeBytes) : sizeBytes
  return start < end ? { start, end } : null
}
