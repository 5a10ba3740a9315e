// The address a request is logged and throttled by.
import type { Ctx } from './context.ts'
import type { Deps } from './deps.ts'

/** The visitor's address behind believed proxies; the empty string on a unix socket. */
export function clientAddress(c: Ctx, deps: Deps): string {
  return deps.clients.addressOf(c.env.incoming)
}

/** Keys of a throttle: what is guessed at, for each network the guesses are counted by. */
export function guessKeys(c: Ctx, deps: Deps, what: string): string[] {
  return deps.clients.networksOf(c.env.incoming).map((network) => `${what} from ${network}`)
}

/** True when the browser talks TLS, to us or to a believed proxy in front of us. */
export function isSecure(c: Ctx, deps: Deps): boolean {
  return deps.clients.isSecure(c.env.incoming)
}

/** True when the request came to the origin that serves user files and nothing else. */
export function isContentOrigin(c: Ctx, deps: Deps): boolean {
  const { contentOrigin } = deps.config
  return contentOrigin !== '' && c.env.incoming.headers.host === new URL(contentOrigin).host
}
