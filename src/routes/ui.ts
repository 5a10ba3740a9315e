// The interface over HTTP: index page, its files, branding files, web app manifest.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { Hono } from 'hono'
import { asksPassword } from '../auth/sign-in.ts'
import { createScope, type OpenFile } from '../files/place/scope.ts'
import { type AnswerHeaders, answer } from '../http/answer.ts'
import { assetTypeOf } from '../http/assets.ts'
import { isListed } from '../http/conditions.ts'
import type { Ctx, Env } from '../http/context.ts'
import type { Deps } from '../http/deps.ts'
import { sendFile } from '../http/file-response.ts'
import { NO_CACHE } from '../http/frame.ts'
import { encodePath, PAGE } from '../http/request-path.ts'
import { sendStatus } from '../http/respond.ts'
import { AppError } from '../lib/errors.ts'
import type { VPath } from '../lib/vpath.ts'
import { pagePolicy, presentBoot, presentManifest, renderPage, SHARE_TARGET } from './page.ts'
import { siteOfRequest } from './passkeys/own.ts'

/** For scripts, which as workers live under the policy they come with. */
const SCRIPT_POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' blob: data:"
/** For everything else: a picture opened in its own tab runs nothing. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"

const SERVICE_WORKER = 'sw.js'
const DAY = 'public, max-age=86400'
const FOREVER = 'public, max-age=31536000, immutable'
const CUSTOM_STYLE = '/custom.css' as VPath
const ICO = '/img/icons/favicon.ico' as VPath
const SVG = '/img/icons/favicon.svg' as VPath
/** Logos and style sheets; anything larger is no branding. */
const MAX_BRANDING_BYTES = 32 * 1024 * 1024

export function uiRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()

  app.get('/static', async (c) => {
    const { rest, trailingSlash, vpath } = c.env.target
    if (trailingSlash || rest === '/') return sendStatus(404, { code: 'not_found' })
    const name = rest.slice(1)
    if (name === 'site.webmanifest') return sendManifest(deps)
    return (await sendBranding(c, deps, vpath)) ?? (await sendAsset(c, deps, name))
  })

  // Asked for by browsers without a page, and by feed readers and dashboards.
  app.get(
    '/favicon.ico',
    async (c) => (await sendBranding(c, deps, ICO)) ?? (await sendAsset(c, deps, ICO.slice(1))),
  )

  app.get(PAGE, async (c) => {
    const settings = deps.store.settings()
    const nonce = randomBytes(16).toString('base64')
    const boot = presentBoot(deps.config, settings, await hasBranding(deps, CUSTOM_STYLE))
    if (asksPassword(settings) && (await deps.passkeys.isOfferedAt(siteOfRequest(c, deps))))
      boot.Passkeys = true
    const html = renderPage({
      boot,
      hasOwnIco: await hasOnlyIco(deps),
      page: await deps.assets.page(),
      nonce,
      acceptLanguage: c.req.header('accept-language') ?? '',
    })
    return answer(html, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': NO_CACHE,
      'Content-Security-Policy': pagePolicy(nonce, boot, deps.config),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      // It cannot name an origin; where others are let in, the policy alone speaks (RFC 7034, 2.1).
      ...(deps.config.frameAncestors.length === 0 && { 'X-Frame-Options': 'SAMEORIGIN' }),
      'X-XSS-Protection': '1; mode=block',
    })
  })

  // Without its service worker, whose part this is, the page can only be opened.
  app.post(PAGE, async (c, next) => {
    if (c.env.target.path !== SHARE_TARGET) return next()
    return c.redirect(`${encodePath(deps.config.baseURL)}/files/`, 303)
  })

  return app
}

async function sendAsset(c: Ctx, deps: Deps, name: string): Promise<Response> {
  const asset = await deps.assets.find(name, c.req.header('accept-encoding') ?? '')
  if (!asset) {
    const headers = { 'Content-Security-Policy': FILE_POLICY }
    return sendStatus(404, { code: 'not_found', headers })
  }
  const headers: AnswerHeaders = {
    'Content-Type': asset.contentType,
    'Cache-Control': asset.immutable ? FOREVER : DAY,
    'Content-Security-Policy': /javascript/.test(asset.contentType) ? SCRIPT_POLICY : FILE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    ETag: asset.etag,
    ...(asset.varies && { Vary: 'Accept-Encoding' }),
    // It lies in a folder, and serves the page above it (Service Workers, W3C, 4.4).
    ...(name === SERVICE_WORKER && {
      'Service-Worker-Allowed': `${encodePath(deps.config.baseURL)}/`,
    }),
  }
  if (isListed(c.req.header('if-none-match') ?? '', asset.etag)) return answer(null, headers, 304)
  if (asset.encoding !== 'identity') headers['Content-Encoding'] = asset.encoding
  return answer(asset.bytes, headers)
}

function sendManifest({ config, store }: Deps): Response {
  const manifest = presentManifest(presentBoot(config, store.settings(), false))
  return answer(JSON.stringify(manifest), {
    'Content-Type': assetTypeOf('site.webmanifest'),
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': FILE_POLICY,
    'X-Content-Type-Options': 'nosniff',
  })
}

/** A file of the branding folder: custom.css and whatever lies below img/. Null when not there. */
async function sendBranding(c: Ctx, deps: Deps, vpath: VPath): Promise<Response | null> {
  const file = await openBranding(deps, vpath)
  if (!file) return null
  const contentType = assetTypeOf(file.name)
  return sendFile(c, file, { contentType, cacheControl: DAY, policy: FILE_POLICY })
}

async function openBranding({ volume, store }: Deps, vpath: VPath): Promise<OpenFile | null> {
  const { files } = store.settings().branding
  if (files === '') return null
  if (vpath !== CUSTOM_STYLE && !vpath.startsWith('/img/')) return null
  const scope = createScope({
    volume,
    root: resolve(files),
    may: () => true,
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

async function hasBranding(deps: Deps, vpath: VPath): Promise<boolean> {
  const file = await openBranding(deps, vpath)
  await file?.handle.close()
  return Boolean(file)
}

/** True when the branding folder brings an icon of the old form and none of the new. */
async function hasOnlyIco(deps: Deps): Promise<boolean> {
  return (await hasBranding(deps, ICO)) && !(await hasBranding(deps, SVG))
}
