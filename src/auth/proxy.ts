// Sign-in asserted by a reverse proxy through a header, which counts from believed peers alone.
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import type { Settings } from '../store/document.ts'
import { isBelieved } from './address.ts'
import { peerAddress } from './clients.ts'

/** The user name the proxy asserts, or null when there is none to believe. */
export function assertedByProxy(
  config: Config,
  settings: Settings,
  incoming: IncomingMessage,
): string | null {
  const { header } = settings.auther
  if (header === '' || !mayAssert(config, incoming)) return null
  const value = incoming.headers[header.toLowerCase()]
  const name = Array.isArray(value) ? value[0] : value
  return name === undefined || name === '' ? null : Buffer.from(name, 'latin1').toString('utf8')
}

/** True when the peer is one whose identity header is believed. */
export function mayAssert(config: Config, incoming: IncomingMessage): boolean {
  return isBelieved(peerAddress(config, incoming), config.trustedProxies)
}
