// Who is on the other side of a request: the peer of the connection, and what a believed one forwards.
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config/config.ts'
import type { Logger } from '../lib/log.ts'
import { forwardedAddress, isBelieved, networkOf } from './address.ts'

/** A TCP peer that has left before its address was read; no address, and nothing it says is believed. */
const GONE = 'gone'
/** A name or an address, and a port. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d+)?$/i
const FORWARDING_HEADERS = ['x-forwarded-for', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host']

/** What proxies make: a UUID, a trace id, or numbers and dashes. */
const REQUEST_ID = /^[\w.:+/=@-]{1,128}$/

interface Clients {
  /** The id that a believed proxy has given the request, else one of our own. */
  requestIdOf(incoming: IncomingMessage): string
  /** The visitor's address behind believed proxies; the empty string on a unix socket. */
  addressOf(incoming: IncomingMessage): string
  /**
   * The networks that guesses are counted by: the visitor's, and the peer's as well while nobody has
   * named it a proxy, since whoever is on this machine can forward any address.
   */
  networksOf(incoming: IncomingMessage): string[]
  /** True when the browser talks TLS, to us or to a believed proxy in front of us. */
  isSecure(incoming: IncomingMessage): boolean
  /** True for a request that a believed proxy has passed on, and says so. */
  isForwarded(incoming: IncomingMessage): boolean
  /**
   * Scheme, host and port that the browser has opened: `externalURL`, else those of the request, as a believed
   * proxy forwards them. Null for a request that names no host.
   */
  originOf(incoming: IncomingMessage): string | null
}

/** The address of the other end of the connection; the empty string on a unix socket. */
export function peerAddress({ socket }: Config, incoming: IncomingMessage): string {
  return incoming.socket.remoteAddress ?? (socket === '' ? GONE : '')
}

/** Twelve hexadecimal characters, to find a request in the log by and for nothing else: cryptography is loaded after the first answer. */
function newRequestId(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0')
}

/** Says once in the log when forwarding headers are not believed, or believed from nobody's proxy. */
export function createClients(config: Config, log: Logger): Clients {
  const { trustedProxies } = config
  const said = new Set<string>()
  const sayOnce = (kind: string, line: string) => {
    if (said.has(kind)) return
    said.add(kind)
    log.warn(line)
  }
  const believes = (incoming: IncomingMessage): boolean => {
    const peer = peerAddress(config, incoming)
    const header = FORWARDING_HEADERS.find((name) => incoming.headers[name] !== undefined)
    const isTrusted = isBelieved(peer, trustedProxies)
    if (header === undefined || peer === GONE) return isTrusted
    const who = peer === '' ? 'the unix socket' : peer
    if (!isTrusted) {
      const name = peer === '' ? 'loopback' : peer
      const advice = `set --trustedProxies ${name} if that is your reverse proxy`
      sayOnce('refused', `${header} from ${who} is not believed; ${advice}`)
    } else if (trustedProxies === null) {
      const advice = 'set --trustedProxies loopback if that is your reverse proxy'
      const counted = 'failed sign-ins count against everybody who comes from there'
      sayOnce('unnamed', `${header} comes from ${who}, which nobody named: ${counted}; ${advice}`)
    }
    return isTrusted
  }
  const addressOf = (incoming: IncomingMessage) => {
    const peer = peerAddress(config, incoming)
    return forwardedAddress(peer, believes(incoming) ? incoming.headers : {}, trustedProxies)
  }
  const isSecure = (incoming: IncomingMessage) => {
    if ('encrypted' in incoming.socket && incoming.socket.encrypted === true) return true
    const scheme = String(incoming.headers['x-forwarded-proto'] ?? '').split(',')[0]
    return scheme?.trim() === 'https' && believes(incoming)
  }
  return {
    requestIdOf: (incoming) => {
      const given = incoming.headers['x-request-id']
      const isGiven = typeof given === 'string' && REQUEST_ID.test(given)
      const counts = isGiven && isBelieved(peerAddress(config, incoming), trustedProxies)
      return counts ? given : newRequestId()
    },
    addressOf,
    networksOf: (incoming) => {
      const networks = new Set([networkOf(addressOf(incoming))])
      if (trustedProxies === null) networks.add(networkOf(peerAddress(config, incoming)))
      return [...networks]
    },
    isSecure,
    isForwarded: (incoming) =>
      FORWARDING_HEADERS.some((name) => incoming.headers[name] !== undefined) && believes(incoming),
    originOf: (incoming) => {
      if (config.externalURL !== '') return config.externalURL
      const forwarded = believes(incoming) ? incoming.headers['x-forwarded-host'] : undefined
      const host =
        String(forwarded ?? incoming.headers.host ?? '')
          .split(',')[0]
          ?.trim() ?? ''
      const address = `${isSecure(incoming) ? 'https' : 'http'}://${host}`
      return HOST.test(host) && URL.canParse(address) ? new URL(address).origin : null
    },
  }
}
