// Pages of other origins that use WebDAV (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
import { answer } from '../../http/answer.ts'
import { type Ctx, setHeader } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'

const REQUEST_HEADERS = [
  'Authorization',
  'Content-Range',
  'Content-Type',
  'Depth',
  'Destination',
  'If',
  'If-Match',
  'If-None-Match',
  'Lock-Token',
  'OC-Checksum',
  'Overwrite',
  'Range',
  'Timeout',
  'X-OC-Mtime',
  'X-Update-Range',
].join(', ')

const EXPOSED = 'ETag, DAV, Lock-Token, Content-Range, X-Error-Code, X-OC-Mtime'
/** A browser asks again after so long. */
const PREFLIGHT_SECONDS = 600

/**
 * Says to a page of an origin of `--davOrigins` that it may read the answer. Its preflight, which brings no credentials, is
 * answered here; null for all else. Nothing is sent with the cookies of the browser.
 */
export function admitOrigin(c: Ctx, { config }: Deps, methods: string): Response | null {
  const { origin, 'access-control-request-method': wanted } = c.env.incoming.headers
  if (config.davOrigins.length === 0) return null
  setHeader(c, 'Vary', 'Origin')
  if (origin === undefined || !config.davOrigins.some((each) => matches(each, origin))) return null
  setHeader(c, 'Access-Control-Allow-Origin', origin)
  setHeader(c, 'Access-Control-Expose-Headers', EXPOSED)
  if (c.env.incoming.method !== 'OPTIONS' || wanted === undefined) return null
  return answer(
    null,
    {
      'Access-Control-Allow-Methods': methods,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    },
    204,
  )
}

/** `https://*.example.org` stands for all below that name. */
function matches(allowed: string, origin: string): boolean {
  const [scheme = '', host] = allowed.split('*')
  if (host === undefined) return allowed === origin
  return (
    origin.startsWith(scheme) && origin.endsWith(host) && !/[/@]/.test(origin.slice(scheme.length))
  )
}
