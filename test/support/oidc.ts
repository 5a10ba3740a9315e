// A real provider in this process, and a browser that signs in there.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export const CLIENT = { clientId: 'files', clientSecret: 'a-secret-of-the-client' }

export interface TestProvider extends AsyncDisposable {
  issuer: string
  /** Names of people to their groups; read at each sign-in. */
  groups: Record<string, string[]>
  serve(origin: string): void
  /** Ends it and starts it again at the same address, with new keys and no sessions. */
  restart(): Promise<void>
  /** Refuses connections until it is started again. */
  stop(): Promise<void>
}

/** Takes a port; `serve` is told where the server under test is, which has to know the issuer first. */
export async function startProvider({
  client: own = {},
  ...more
}: Record<string, unknown> & { client?: object } = {}): Promise<TestProvider> {
  const groups: TestProvider['groups'] = {}
  let server = createServer()
  const listen = (port: number) =>
    new Promise<number>((resolve) => {
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    })
  const port = await listen(0)
  const issuer = `http://127.0.0.1:${port}`
  let origin = ''
  const serve = () => {
    const client = {
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
      redirect_uris: [`${origin}/api/oidc/callback`],
      post_logout_redirect_uris: [`${origin}/login`],
      backchannel_logout_uri: `${origin}/api/oidc/backchannel-logout`,
      backchannel_logout_session_required: true,
      ...own,
    }
    const provider = new Provider(issuer, {
      clients: [client],
      claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
      scopes: ['openid', 'profile', 'email', 'groups'],
      features: { backchannelLogout: { enabled: true } },
      cookies: { keys: ['a key for cookies'] },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: async () => ({ sub: id, preferred_username: id, groups: groups[id] ?? [] }),
      }),
      // Its own destroys connections to addresses such as this machine's.
      fetch: (url: string, options: RequestInit & { dispatcher?: unknown }) => {
        const { dispatcher: _, ...rest } = options
        return fetch(url, rest)
      },
      ...more,
    })
    provider.on('server_error', (_, error) => process.stderr.write(`provider: ${error.stack}\n`))
    server.on('request', provider.callback())
  }
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    issuer,
    groups,
    serve: (at) => {
      origin = at
      serve()
    },
    stop,
    restart: async () => {
      if (server.listening) await stop()
      server = createServer()
      await listen(port)
      serve()
    },
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await stop()
    },
  }
}

interface Kept {
  name: string
  value: string
  path: string
}

/** Cookies of some origins, and redirects that are followed by hand. */
export function createBrowser() {
  const jars = new Map<string, Kept[]>()
  const jarOf = (origin: string) => jars.get(origin) ?? []
  const cookiesFor = (url: URL) =>
    jarOf(url.origin)
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  const keep = (url: URL, line: string) => {
    const [pair = '', ...attributes] = line.split('; ')
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/'
    const isOver = attributes.some((text) => /^max-age=0$/i.test(text))
    const rest = jarOf(url.origin).filter((one) => one.name !== name || one.path !== path)
    const kept = isOver || pair.endsWith('=') ? [] : [{ name, value: pair.slice(at + 1), path }]
    jars.set(url.origin, [...rest, ...kept])
  }
  const ask = async (address: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(address)
    const headers = new Headers(init.headers)
    const cookie = cookiesFor(url)
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const line of response.headers.getSetCookie()) keep(url, line)
    return response
  }
  /** Follows redirects until an address that `until` knows, which is not asked, or an answer that is none. */
  const follow = async (address: string, until: (url: string) => boolean, init?: RequestInit) => {
    let at = address
    let response = await ask(at, init)
    for (;;) {
      const location = response.headers.get('location')
      if (location === null) return { url: at, response }
      at = new URL(location, at).href
      if (until(at)) return { url: at, response }
      response = await ask(at)
    }
  }
  /** Signs in at the provider's own pages; gives the address that it sends the browser back to. */
  const signInAt = async (start: string, username: string, isBack: (url: string) => boolean) => {
    let step = await follow(start, isBack)
    for (const prompt of ['login', 'consent']) {
      if (isBack(step.url)) break
      const body = new URLSearchParams(
        prompt === 'login' ? { prompt, login: username, password: 'x' } : { prompt },
      )
      step = await follow(step.url, isBack, { method: 'POST', body })
    }
    return step.url
  }
  return {
    ask,
    follow,
    signInAt,
    cookiesOf: jarOf,
    forget: (origin: string) => jars.delete(origin),
  }
}

export type TestBrowser = ReturnType<typeof createBrowser>
