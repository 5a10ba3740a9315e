// The address a request is logged and throttled by.
import { forwardedAddress } from '../auth/address.ts'
import type { Ctx, Deps } from './env.ts'

/** The visitor's address behind believed proxies; the empty string on a unix socket. */
export function clientAddress(c: Ctx, deps: Deps): string {
  const { incoming } = c.env
  const peer = incoming.socket.remoteAddress ?? ''
  return forwardedAddress(peer, incoming.headers, deps.config.trustedProxies)
}

/** True when the browser talks TLS, to us or to the proxy in front of us. */
export function isSecure(c: Ctx): boolean {
  const { incoming } = c.env
  if ('encrypted' in incoming.socket && incoming.socket.encrypted === true) return true
  return (
    String(incoming.headers['x-forwarded-proto'] ?? '')
      .split(',')[0]
      ?.trim() === 'https'
  )
}

/** True when the request came to the origin that serves user files and nothing else. */
export function isContentOrigin(c: Ctx, deps: Deps): boolean {
  const { contentOrigin } = deps.config
  return contentOrigin !== '' && c.env.incoming.headers.host === new URL(contentOrigin).host
}
