// The name under which a route is counted, from the table of routes and never from what a client has sent.

/** First parts of routes that are counted together. */
const TOGETHER: Record<string, readonly string[]> = {
  health: ['health', 'ready'],
  page: ['page', 'static', 'favicon.ico', 'docs', 'openapi.json'],
  'sign-in': [
    'login',
    'renew',
    'signup',
    'logout',
    'second-factor',
    'confirm',
    'passkeys',
    'oidc',
    'sessions',
  ],
  accounts: [
    'users',
    'identities',
    'groups',
    'folders',
    'access',
    'tokens',
    'second-factors',
    'preferences',
    'settings',
  ],
  shares: ['share', 'shares'],
  dav: ['dav', 'dav-root', 'dav-uploads', 'locks'],
}

const NAMES = new Map(
  Object.entries(TOGETHER).flatMap(([name, parts]) => parts.map((part) => [part, name] as const)),
)

/** `/api/users/:id` is `accounts`, `/api/tus` is `tus`; what no route has answered is `none`. */
export function routeNameOf(pattern: string | undefined): string {
  const part = /^\/(?:(?:api|-)\/)?([\w.-]+)/.exec(pattern ?? '')?.[1]
  return part === undefined ? 'none' : (NAMES.get(part) ?? part)
}
