// The doors of the server in other places than the served folder: a home below it, and a further root.
import { join } from 'node:path'
import type { GrantRecord } from '../../src/access-types.ts'
import type { Permissions } from '../../src/api-types.ts'
import type { PlaceText } from '../../src/lib/places.ts'
import { VERBS } from '../../src/lib/verbs.ts'
import { setFolder } from '../../src/store/access/folders.ts'
import { setHome } from '../../src/store/access/groups.ts'
import { openApp, type TestApp } from './app.ts'
import { DOORS, type Door, FILES_OF_DOORS, full, type Kept } from './doors.ts'
import type { SignedIn } from './login.ts'
import { changeRecords } from './records.ts'
import { makeShare } from './shares.ts'
import { makeTree } from './tree.ts'

/** Where `subject` (id 2) finds the files of the doors, the group 1 that it may be in, and a stranger to it. */
export interface DoorsAt extends AsyncDisposable {
  app: TestApp
  /** What a record of the place says besides what gives the place to the account. */
  say(...grants: GrantRecord[]): Promise<void>
  /** Permissions of the account, wherever no record speaks. */
  allow(perm: Permissions): Promise<void>
  /** Goes through a door as somebody; the text of the answer beside its status. */
  go(door: Door, user: SignedIn): Promise<{ status: number; text: string }>
}

const NOT_OF_PLACES = ['register a selection', 'list shares', 'shares of a path', 'end a share']

/** Doors to places. The others are asked for no place, for any, or tell what the account has made itself. */
export const DOORS_AT = DOORS.filter(
  ({ name, needs }) =>
    needs.some((bit) => (VERBS as readonly string[]).includes(bit)) &&
    !NOT_OF_PLACES.includes(name),
)

/** What a door needs of an account of which a record speaks: to copy is to read as well. */
export const needsOf = ({ name, needs }: Door): Door['needs'] =>
  /\bcopy\b/i.test(name) ? [...needs, 'download'] : needs

export const PLACES = ['a home', 'a further root'] as const

/** Opens an application with the files of the doors in such a place. */
export async function openDoorsAt(where: (typeof PLACES)[number]): Promise<DoorsAt> {
  const isHome = where === 'a home'
  const further = await makeTree(isHome ? {} : FILES_OF_DOORS)
  const files = Object.entries(FILES_OF_DOORS).map(([path, content]) => [`home/${path}`, content])
  const app = (await openApp({
    tree: isHome ? Object.fromEntries(files) : {},
    config: { roots: { far: further.root } },
    users: [{ username: 'subject', perm: full, scope: isHome ? '/home' : '/' }],
  })) as TestApp
  const top = isHome ? '' : '/top'
  const place = (isHome ? '/home' : 'far:/') as PlaceText
  const kept: Kept = isHome
    ? { base: app.tree.root, path: 'home/gone.txt' }
    : { base: further.root, path: 'gone.txt' }
  const say = (...grants: GrantRecord[]) => {
    const given = isHome || grants.some(({ see }) => see === false)
    const own = { who: 'user:2', see: true }
    const at = grants.findIndex(({ who }) => who === own.who)
    const all = given
      ? grants
      : at < 0
        ? [own, ...grants]
        : grants.with(at, { ...own, ...grants[at] } as GrantRecord)
    return app.store.transaction((tx) => {
      setFolder(tx, { place, as: isHome ? '' : 'top', quota: null, grants: all })
    })
  }
  await app.store.transaction((tx) => setHome(tx, { userID: 2, home: isHome, homeQuota: null }))
  await say()
  await makeShare(app, `${top}/shared/`, {}, 'subject')
  return {
    app,
    say,
    allow: (perm) =>
      changeRecords(app.store, ({ users }) => ({
        users: users.map((user) => (user.id === 2 ? { ...user, perm } : user)),
      })),
    go: async (door, user) => {
      const at =
        (go: SignedIn['fetch']): SignedIn['fetch'] =>
        (path, init) =>
          go(...below(top, path, init))
      const there = { ...app, fetch: at(app.fetch) }
      const response = await door.go({ ...user, fetch: at(user.fetch) }, there, kept)
      const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
      return { status: response.status, text }
    },
    [Symbol.asyncDispose]: async () => {
      await app[Symbol.asyncDispose]()
      await further[Symbol.asyncDispose]()
    },
  }
}

const AT_PATHS =
  /^\/dav(?=\/)|^\/api\/(?:raw|resources|bundle|preview\/\w+|subtitle|versions|pictures|taken|tus|share)(?=\/)|(?<=destination=)(?=\/)/g

/** The same request for what lies below `top`. */
function below(top: string, path: string, init?: RequestInit): [string, RequestInit | undefined] {
  const asked = path.replace(AT_PATHS, (found) => found + top)
  const headers = new Headers(init?.headers)
  const destination = headers.get('Destination')
  if (destination !== null) {
    headers.set(
      'Destination',
      destination.replace(/^\/dav/, (found) => found + top),
    )
    return [asked, { ...init, headers }]
  }
  if (!path.startsWith('/api/jobs') || typeof init?.body !== 'string') return [asked, init]
  const { items, to, ...more } = JSON.parse(init.body) as { items: string[]; to?: string }
  const moved = { items: items.map((item) => top + item), ...(to && { to: join('/', top, to) }) }
  return [asked, { ...init, body: JSON.stringify({ ...more, ...moved }) }]
}
