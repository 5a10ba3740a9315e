// A server and its provider, for tests of signing in there.
import { onTestFinished } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { startApp, type TestApp, type TestAppOptions } from './app.ts'
import { CLIENT, startProvider, type TestBrowser, type TestProvider } from './oidc.ts'

export interface World {
  provider: TestProvider
  app: TestApp
}

/** A provider and a server that knows it. */
export async function startWorld(
  options: Partial<Config> = {},
  more: Omit<TestAppOptions, 'config'> & { provider?: Record<string, unknown> } = {},
): Promise<World> {
  const provider = await startProvider(more.provider)
  const app = await startApp({ ...more, config: { ...configOf(provider.issuer), ...options } })
  provider.serve(app.origin)
  onTestFinished(async () => {
    await app[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })
  return { provider, app }
}

export function configOf(issuer: string): Partial<Config> {
  return {
    'oidc.issuer': issuer,
    'oidc.clientId': CLIENT.clientId,
    'oidc.clientSecret': CLIENT.clientSecret,
    'oidc.scopes': 'openid profile groups',
    'oidc.allowedGroups': ['*'],
    'oidc.create': true,
    'oidc.adminGroup': 'admins',
  }
}

/** Goes through a whole sign-in; gives the address at which the browser ends here. */
export async function signIn(
  { app }: World,
  browser: TestBrowser,
  username: string,
  path = '/api/oidc/login?redirect=/files/home',
): Promise<string> {
  const isCallback = (url: string) => url.startsWith(`${app.origin}/api/oidc/callback`)
  const back = await browser.signInAt(app.origin + path, username, isCallback)
  const { url } = await browser.follow(back, (at) => !at.includes('/api/oidc/'))
  return url.slice(app.origin.length)
}

export async function whoIs({ app }: World, browser: TestBrowser) {
  const response = await browser.ask(`${app.origin}/api/renew`)
  if (response.status !== 200) return null
  const token = await response.text()
  const { user } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return { ...user, token }
}
