// Whether passkeys can be had at an address: they belong to a name and need a secure context (WebAuthn 3, 5.1.2).
import { isIP } from 'node:net'

/** Where a browser has opened this server, and the name that its passkeys there belong to. */
export interface Site {
  /** Scheme, host and port. */
  origin: string
  rpID: string
}

/** Why there are no passkeys: the address is that of a machine and no name, or it is not https. */
export type NoSite = 'address' | 'insecure'

/** The site of an address as `Clients.originOf` gives it, or why it is none. */
export function siteOf(origin: string | null): Site | NoSite {
  if (origin === null) return 'address'
  const { protocol, hostname } = new URL(origin)
  // Not even 127.0.0.1, which is a secure context: browsers know it as an invalid domain.
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return 'address'
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { origin, rpID: hostname } : 'insecure'
}
