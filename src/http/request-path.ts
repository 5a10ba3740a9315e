// From the raw request target to the route and the virtual path. The path is decoded here, once;
// rules, disk, hooks and records all see the VPath made here (CVE-2026-25890, CVE-2026-32758).
import { resolveSegments, toVPath, type VPath } from '../lib/vpath.ts'

export interface Target {
  /** Routing key, the path Hono matches on, such as `/api/resources`. */
  key: string
  /** The path behind the route's prefix. */
  vpath: VPath
  /** A trailing slash marks a folder. */
  trailingSlash: boolean
  /** Decoded text behind the prefix, as sent. */
  rest: string
  /** The same, still percent-encoded. */
  rawRest: string
  /** Decoded path without the base URL. */
  path: string
  query: URLSearchParams
  /** Where `key` is REDIRECT. */
  location: string
  /** Where `key` is DAV or DAV_UPLOADS. */
  dav?: DavAddress
}

/** How a WebDAV client has named the tree. */
export interface DavAddress {
  /** The address of the tree, percent-encoded, the base URL before it where it came; without a slash at its end. */
  mount: string
  /** The same of the server. */
  base: string
  /** The account that the address names; null where it names none. */
  username: string | null
}

export const REDIRECT = '/-/redirect'
export const BAD_TARGET = '/-/bad-request'
export const PAGE = '/-/page'
/** The one route that opens WebSockets. */
export const COMMAND = '/api/command'
/** The tree for WebDAV, under any of its addresses. */
export const DAV = '/dav'
/** Where clients of Nextcloud put the parts of a file. */
export const DAV_UPLOADS = '/-/dav-uploads'
/** OPTIONS and PROPFIND of the addresses above, by which clients of Microsoft find it. */
export const DAV_ROOT = '/-/dav-root'
/** An `/api/` path that no route knows. */
const UNKNOWN_API = '/-/unknown-api'

const EXACT = new Set([
  '/health',
  '/ready',
  '/favicon.ico',
  '/api/login',
  '/api/signup',
  '/api/renew',
  '/api/logout',
  '/api/users',
  '/api/shares',
  '/api/settings',
  '/api/selections',
  '/api/sessions',
  '/api/tokens',
  '/api/login/second',
  '/api/login/enrol',
  '/api/login/passkey',
  '/api/login/passkey/options',
  '/api/confirm',
  '/api/confirm/options',
  '/api/passkeys',
  '/api/passkeys/options',
  '/api/second-factor',
  '/api/second-factor/recovery',
  '/api/second-factors',
  '/api/identities',
  '/api/groups',
  '/api/folders',
  '/api/access',
  '/api/oidc',
  '/api/oidc/login',
  '/api/oidc/connect',
  '/api/oidc/confirm',
  '/api/oidc/callback',
  '/api/oidc/identity',
  '/api/oidc/backchannel-logout',
  '/api/audit',
  '/api/nodes',
  '/api/history',
  '/api/jobs',
  '/api/events',
  '/api/preferences',
  '/api/audit/export',
  '/api/trash',
  '/api/trash/restore',
  '/api/trash/usage',
  '/api/openapi.json',
  '/docs/api',
])

/** One account, group, second factor, session, token, passkey, record of the history or job; Hono takes the id from the path. */
const RECORD =
  /^\/api\/(users\/\d+|groups\/\d+|second-factors\/\d+|sessions\/[^/]+|tokens\/[^/]+|passkeys\/[^/]+|history\/[\w-]+\/undo|jobs\/[^/]+(\/(pause|resume|cancel|retry))?)$/

/** An entry of the trash, and a path in it. */
const KEPT = /^(\/api\/trash\/[^/]+)(\/.*)?$/s

/** Plain string prefixes, tried in order, as the original matches them: no segment boundary. */
const PREFIXES = [
  '/static',
  '/api/resources',
  '/api/tus',
  '/api/uploads',
  '/api/bundle',
  '/api/usage',
  '/api/locks',
  '/api/versions',
  '/api/pictures',
  '/api/taken',
  '/api/share',
  '/api/raw',
  COMMAND,
  '/api/search',
  '/api/subtitle',
  '/api/public/dl',
  '/api/public/share',
  '/api/public/preview',
  '/api/public/subtitle',
  '/api/public/selections',
] as const

/** Prefixes that answer their own bare path by adding the slash, before authentication. */
const ADD_SLASH = new Set([
  '/api/resources',
  '/api/resources/recursive',
  '/api/tus',
  '/api/usage',
  '/api/share',
  '/api/raw',
  COMMAND,
  '/api/search',
  '/api/subtitle',
])

const RECURSIVE = '/api/resources/recursive'

/**
 * Parses `rawUrl` (request target, origin form) below `baseURL` (`''` or `/prefix`). Never throws:
 * what cannot be decoded becomes the key BAD_TARGET.
 *
 * The recursive listing hides an entry of the root that is called `recursive`, from reading alone:
 * other methods mean the entry (docs/http-api.md 1.1), and so does reading with `recursive=false`, ours.
 * `dav` opens the addresses of WebDAV.
 */
export function parseTarget(rawUrl: string, baseURL: string, method: string, dav = false): Target {
  const { rawPath, rawQuery } = splitTarget(toUtf8(rawUrl))
  const full = decodePath(rawPath)
  const target: Target = {
    key: PAGE,
    vpath: '/' as VPath,
    trailingSlash: false,
    rest: '/',
    rawRest: '/',
    path: '/',
    query: new URLSearchParams(rawQuery),
    location: '',
  }
  if (full === null || !full.startsWith('/')) return { ...target, key: BAD_TARGET }

  const asDav = dav ? parseDav(target, full, baseURL) : null
  const isAbove = ['/', baseURL, `${baseURL}/`].includes(full)
  if (dav && isAbove && (method === 'OPTIONS' || method === 'PROPFIND'))
    return { ...target, key: DAV_ROOT, path: full }
  // What stands behind `#` is the client's, and one that sends it means something else than the path.
  if (asDav) return rawUrl.includes('#') ? { ...asDav, key: BAD_TARGET } : asDav
  const cleaned = cleanPath(full)
  const query = rawQuery ? `?${rawQuery}` : ''
  if (cleaned !== full) return { ...target, key: REDIRECT, location: encodePath(cleaned) + query }
  if (baseURL !== '' && full === baseURL)
    return { ...target, key: REDIRECT, location: `${encodePath(baseURL)}/` }

  const inside = baseURL !== '' && full.startsWith(`${baseURL}/`)
  const path = inside ? full.slice(baseURL.length) : full
  const rawInner = inside ? cutEncoded(rawPath, baseURL.length) : rawPath
  target.path = path

  const isReading = method === 'GET' || method === 'HEAD'
  const recursive = isReading && target.query.get('recursive') !== 'false'
  if (EXACT.has(path)) return { ...target, key: path }
  if (ADD_SLASH.has(path) && (path !== RECURSIVE || recursive)) {
    const location = `${inside ? encodePath(baseURL) : ''}${path}/`
    return { ...target, key: `${REDIRECT}/page`, location }
  }
  if (RECORD.test(path)) return { ...target, key: path }

  const preview = /^\/api\/preview\/([^/]+)(\/.*)$/s.exec(path)
  if (preview?.[1] && preview[2])
    return withRest(target, '/api/preview', preview[2], rawInner, path)

  const kept = KEPT.exec(path)
  if (kept?.[1]) return withRest(target, kept[1], kept[2] ?? '', rawInner, path)

  if (recursive && path.startsWith(`${RECURSIVE}/`))
    return withRest(target, RECURSIVE, path.slice(RECURSIVE.length), rawInner, path)
  for (const prefix of PREFIXES)
    if (path.startsWith(prefix))
      return withRest(target, prefix, path.slice(prefix.length), rawInner, path)
  return { ...target, key: path.startsWith('/api/') || path === '/api' ? UNKNOWN_API : PAGE }
}

const DAV_PATH = /^\/(?:dav|remote\.php\/(?:webdav|dav\/(?:files|uploads)\/([^/]+)))(?=\/|$)/

const UPLOADS = '/remote.php/dav/uploads/'

// Clients follow no redirects: what is not clean is cleaned here, and what leaves the tree is refused.
function parseDav(target: Target, full: string, baseURL: string): Target | null {
  const inside = baseURL !== '' && full.startsWith(`${baseURL}/`)
  const path = inside ? full.slice(baseURL.length) : full
  const [mount, username = null] = DAV_PATH.exec(path) ?? []
  if (mount === undefined) return null
  const rest = path.slice(mount.length)
  const vpath = toVPath(rest)
  if (vpath === null || rest.split('/').includes('..')) return { ...target, key: BAD_TARGET, path }
  const base = inside ? encodePath(baseURL) : ''
  return {
    ...target,
    key: mount.startsWith(UPLOADS) ? DAV_UPLOADS : DAV,
    vpath,
    rest: rest || '/',
    path,
    trailingSlash: rest.length > 1 && rest.endsWith('/'),
    dav: { base, mount: base + encodePath(mount), username },
  }
}

/** The `{size}` segment of a preview path. */
export function previewSizeOf(target: Target): string {
  return target.path.split('/')[3] ?? ''
}

function withRest(
  target: Target,
  key: string,
  decodedRest: string,
  rawInner: string,
  path: string,
): Target {
  const rest = decodedRest.startsWith('/') ? decodedRest : `/${decodedRest}`
  const vpath = toVPath(rest)
  if (vpath === null) return { ...target, key: BAD_TARGET }
  const rawRest = cutEncoded(rawInner, path.length - decodedRest.length)
  return {
    ...target,
    key,
    vpath,
    rest,
    rawRest: rawRest.startsWith('/') ? rawRest : `/${rawRest}`,
    trailingSlash: rest.length > 1 && rest.endsWith('/'),
  }
}

// Node reads the request line as Latin-1; clients that do not escape send UTF-8.
function toUtf8(rawUrl: string): string {
  return /[\u0080-\u00ff]/.test(rawUrl) ? Buffer.from(rawUrl, 'latin1').toString('utf8') : rawUrl
}

function splitTarget(rawUrl: string): { rawPath: string; rawQuery: string } {
  // Absolute form, as sent to proxies: only path and query count.
  const url = rawUrl.startsWith('/')
    ? rawUrl
    : rawUrl.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '')
  const hash = url.indexOf('#')
  const text = hash < 0 ? url : url.slice(0, hash)
  const at = text.indexOf('?')
  if (at < 0) return { rawPath: text || '/', rawQuery: '' }
  return { rawPath: text.slice(0, at) || '/', rawQuery: text.slice(at + 1) }
}

function decodePath(rawPath: string): string | null {
  try {
    const decoded = decodeURIComponent(rawPath)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}

// Resolves empty, `.` and `..` segments and keeps a trailing slash.
function cleanPath(path: string): string {
  if (!/\/[/.]/.test(path)) return path
  const cleaned = resolveSegments(path)
  return path.endsWith('/') && cleaned !== '/' ? `${cleaned}/` : cleaned
}

// Drops the encoded characters that stand for the first `count` decoded UTF-16 units.
function cutEncoded(raw: string, count: number): string {
  if (!raw.includes('%')) return raw.slice(count)
  let i = 0
  let units = 0
  while (i < raw.length && units < count) {
    if (raw[i] !== '%') {
      i++
      units++
      continue
    }
    const lead = Number.parseInt(raw.slice(i + 1, i + 3), 16)
    const bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    i += bytes * 3
    units += bytes === 4 ? 2 : 1
  }
  return raw.slice(i)
}

const NOTHING_TO_ENCODE = /^[\w.~$&+,/:;=@-]*$/

/** Percent-encodes a decoded path for a `Location`, leaving `A-Z a-z 0-9 -_.~$&+,/:;=@`. */
export function encodePath(path: string): string {
  if (NOTHING_TO_ENCODE.test(path)) return path
  return encodeURIComponent(path)
    .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, (code) => decodeURIComponent(code))
}
