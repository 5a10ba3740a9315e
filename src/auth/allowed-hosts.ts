// Which `Host` is answered. A web page can have its own name resolved to 127.0.0.1 (DNS rebinding) and is
// then of one origin with a server there: where nobody signs in, it could read and change everything.
import { isIP } from 'node:net'
import type { Config } from '../config/config.ts'
import { isLoopback } from './address.ts'

/** True when the server listens on a loopback address alone; a unix socket is out of browsers' reach. */
export function listensOnLoopback({ address, socket }: Config): boolean {
  return socket === '' && (address === 'localhost' || (address !== '' && isLoopback(address)))
}

/**
 * True when a request with this `Host` is answered. With `allowedHosts` those names are, without it all,
 * unless nobody signs in on a loopback address. Addresses and `localhost` always are: no page can be of
 * such an origin but one from here. So is the origin of user files.
 */
export function isHostAnswered(
  host: string | undefined,
  authMethod: string,
  config: Config,
): boolean {
  const { allowedHosts, contentOrigin } = config
  const isOpen = authMethod === 'noauth' && listensOnLoopback(config)
  if (allowedHosts.length === 0 && !isOpen) return true
  const name = nameOf(host ?? '')
  if (name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0) return true
  if (contentOrigin !== '' && name === new URL(contentOrigin).hostname) return true
  return allowedHosts.includes(name)
}

/** The name or address of a `Host` header in lower case, without port, brackets and last dot. */
function nameOf(host: string): string {
  const [, address, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host.trim()) ?? []
  return (address ?? name).toLowerCase().replace(/\.$/, '')
}
