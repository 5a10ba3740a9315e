// Signing in over HTTP, and calls as that user.
import { ADMIN } from './program.ts'

export type Ask = (address: string, init: RequestInit) => Promise<Response>

export interface SignedIn {
  /** The `X-Auth` token. */
  token: string
  /** The `Cookie` header that the browser would send. */
  cookie: string
  /** fetch below the origin with the token set. */
  fetch(path: string, init?: RequestInit): Promise<Response>
}

/**
 * Signs in; `origin` may carry a base URL. `ask` is how the server is asked, by default over the network.
 * Throws unless the answer is 200.
 */
export async function loginAs(
  origin: string,
  username: string = ADMIN.username,
  password: string = ADMIN.password,
  ask: Ask = fetch,
): Promise<SignedIn> {
  const response = await ask(`${origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ username, password, recaptcha: '' }),
  })
  const token = await response.text()
  if (response.status !== 200) throw new Error(`login as ${username}: ${response.status} ${token}`)
  const cookie = response.headers.getSetCookie().map((item) => item.split(';')[0])
  return withToken(token, cookie.join('; '), (path, init) => ask(`${origin}${path}`, init))
}

/** Calls with a token. */
export function withToken(token: string, cookie: string, ask: Ask): SignedIn {
  return {
    token,
    cookie,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers)
      headers.set('X-Auth', token)
      return ask(path, { ...init, headers })
    },
  }
}
