// People from a provider or a directory: whose account they get, and what their groups give.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withEffective } from '../../src/access/effective.ts'
import { changeGroup } from '../../src/access/groups.ts'
import { addApiToken } from '../../src/auth/api-tokens.ts'
import {
  admit,
  type ExternalIdentity,
  type ExternalRules,
  identityOf,
} from '../../src/auth/external/admit.ts'
import { connect, disconnect } from '../../src/auth/external/identities.ts'
import { makeHome } from '../../src/auth/home.ts'
import { vpathOf } from '../../src/lib/vpath.ts'
import { groupsOf } from '../../src/store/access/groups.ts'
import { GROUPS, IDENTITIES, MEMBERSHIPS, USERS } from '../../src/store/collections.ts'
import { defaultPermissions, defaultSettings, type User } from '../../src/store/document.ts'
import { discardUser, findUserByName, removeUser, replaceUser } from '../../src/store/users.ts'
import { type OpenedApp, openApp } from '../support/app.ts'
import { makeGroup } from '../support/groups.ts'
import { VOLUME } from '../support/scope.ts'

const ISSUER = 'https://id.example.org'
const mona: ExternalIdentity = {
  issuer: ISSUER,
  subject: 's-1',
  username: 'mona',
  groups: ['staff'],
}
const rules: ExternalRules = {
  create: true,
  linkByName: false,
  allowedGroups: ['*'],
  adminGroup: 'admins',
  adminLifeMs: 60_000,
}
const all = defaultPermissions()

function depsOf({ store, tree: { root } }: OpenedApp) {
  const served = {
    volume: VOLUME,
    root,
    followExternalSymlinks: false,
    fileMode: 0o640,
    dirMode: 0o750,
  }
  return {
    store,
    makeHome: (scope: string, home?: Parameters<typeof makeHome>[2]) =>
      makeHome(served, scope, home),
  }
}

function codeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => 'admitted',
    (error: { code: unknown }) => error.code,
  )
}

function named(app: OpenedApp, username: string): User {
  return findUserByName(app.store, username) as User
}

describe('somebody unknown', () => {
  it('gets an account with a home of its own, and neither administration nor commands', async () => {
    const defaults = {
      ...defaultSettings().defaults,
      perm: { ...all, admin: true },
      commands: ['rm'],
    }
    await using app = await openApp({ settings: { defaults } })
    const user = await admit(depsOf(app), mona, rules)
    expect(user).toMatchObject({
      username: 'mona',
      scope: '/users/mona',
      commands: [],
      perm: { admin: false, execute: false, create: true },
    })
  })

  it('gets none without create', async () => {
    await using app = await openApp()
    const outcome = admit(depsOf(app), mona, { ...rules, create: false })
    expect(await codeOf(outcome)).toBe('wrong_credentials')
  })

  it('gets none as long as nobody has said which groups may come in', async () => {
    await using app = await openApp()
    const outcome = admit(depsOf(app), mona, { ...rules, allowedGroups: [] })
    expect(await codeOf(outcome)).toBe('wrong_credentials')
  })

  it('gets none outside of the allowed groups', async () => {
    await using app = await openApp()
    const outcome = admit(depsOf(app), mona, { ...rules, allowedGroups: ['family'] })
    expect(await codeOf(outcome)).toBe('wrong_credentials')
  })

  it('is in a group that the provider writes as a path', async () => {
    await using app = await openApp()
    const outcome = admit(
      depsOf(app),
      { ...mona, groups: ['/staff'] },
      { ...rules, allowedGroups: ['staff'] },
    )
    expect(await codeOf(outcome)).toBe('admitted')
  })

  it('gets one account of two first sign-ins at once', async () => {
    await using app = await openApp()
    const deps = depsOf(app)
    const [one, other] = await Promise.all([admit(deps, mona, rules), admit(deps, mona, rules)])
    expect(one.id).toBe(other.id)
    expect(app.store.count(USERS)).toBe(2)
  })

  it('is not handed a folder that is there already', async () => {
    await using app = await openApp()
    await mkdir(join(app.tree.root, 'users/mona'), { recursive: true })
    expect(await codeOf(admit(depsOf(app), mona, rules))).toBe('sign_in_unavailable')
    expect(app.store.count(IDENTITIES)).toBe(0)
  })
})

describe('a name that is taken', () => {
  it('is refused and told how to connect', async () => {
    await using app = await openApp({ users: [{ username: 'mona' }] })
    await expect(admit(depsOf(app), mona, rules)).rejects.toThrow(/choose Connect in your profile/)
  })

  it('is the account of whoever has it with linkByName', async () => {
    await using app = await openApp({ users: [{ username: 'mona' }] })
    const user = await admit(depsOf(app), mona, { ...rules, linkByName: true })
    expect(user.id).toBe(2)
  })

  it('is never linked to an administrator', async () => {
    await using app = await openApp()
    const outcome = admit(
      depsOf(app),
      { ...mona, username: 'admin' },
      { ...rules, linkByName: true },
    )
    expect(await codeOf(outcome)).toBe('exists')
  })

  it('is never linked to an administrator by a group', async () => {
    await using app = await openApp({ users: [{ username: 'mona' }] })
    const deps = depsOf(app)
    const elsewhere = { ...mona, issuer: 'ldap:dc=example', groups: ['admins'] }
    await admit(deps, elsewhere, { ...rules, linkByName: true })
    expect(await codeOf(admit(deps, mona, { ...rules, linkByName: true }))).toBe('exists')
  })

  it('brings no account along to whoever has it next', async () => {
    await using app = await openApp({ users: [{ username: 'mona' }] })
    const deps = depsOf(app)
    const byName = { ...rules, linkByName: true }
    await admit(deps, mona, byName)
    expect(await codeOf(admit(deps, { ...mona, subject: 's-2' }, byName))).toBe('exists')
  })
})

describe('somebody known', () => {
  it('keeps the account under another name', async () => {
    await using app = await openApp()
    const deps = depsOf(app)
    const { id } = await admit(deps, mona, rules)
    const renamed = await admit(deps, { ...mona, username: 'admin' }, rules)
    expect(renamed).toMatchObject({ id, username: 'mona' })
  })

  it('comes in without any rule on groups', async () => {
    await using app = await openApp({ users: [{ username: 'mona' }] })
    await app.store.transaction((tx) => connect(tx, identityOf(2, mona, rules)))
    const user = await admit(depsOf(app), mona, { ...rules, create: false, allowedGroups: [] })
    expect(user.id).toBe(2)
  })

  it('loses administration also by a sign-in that is refused', async () => {
    await using app = await openApp()
    const deps = depsOf(app)
    const inside = { ...rules, allowedGroups: ['staff'] }
    const { id } = await admit(deps, { ...mona, groups: ['staff', 'admins'] }, inside)
    expect(await codeOf(admit(deps, { ...mona, groups: [] }, inside))).toBe('wrong_credentials')
    expect(app.store.find(IDENTITIES, 'userID', id)[0]).toMatchObject({
      isAdmin: false,
      groups: [],
    })
  })
})

describe('administration by a group', () => {
  const users = [{ username: 'mona' }]
  const admins = { ...mona, groups: ['admins'] }

  it('is there at once, also for a session that was open', async () => {
    await using app = await openApp({ users })
    const session = await app.as('mona')
    await app.store.transaction((tx) => connect(tx, identityOf(2, admins, rules)))
    expect((await session.fetch('/api/users')).status).toBe(200)
  })

  it('is read by the page from its token', async () => {
    await using app = await openApp({ users })
    await app.store.transaction((tx) => connect(tx, identityOf(2, admins, rules)))
    const { token } = await app.as('mona')
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.user.perm.admin).toBe(true)
    expect(named(app, 'mona').perm.admin).toBe(false)
  })

  it('ends with the group', async () => {
    await using app = await openApp({ users })
    const session = await app.as('mona')
    await app.store.transaction((tx) => connect(tx, identityOf(2, admins, rules)))
    await admit(depsOf(app), { ...mona, groups: [] }, rules)
    expect((await session.fetch('/api/users')).status).toBe(403)
  })

  it('ends when nobody has signed in for too long', async () => {
    await using app = await openApp({ users })
    await app.store.transaction((tx) =>
      connect(tx, identityOf(2, admins, { ...rules, adminLifeMs: -1 })),
    )
    expect((await (await app.as('mona')).fetch('/api/users')).status).toBe(403)
  })
})

describe('groups that claim those of a provider', () => {
  const users = [{ username: 'mona' }]
  const namesOf = (app: OpenedApp) => groupsOf(app.store, 2).map(({ name }) => name)
  const joined = async () => {
    const app = await openApp({ users })
    await makeGroup(app.store, { name: 'staff', claims: ['staff'], perm: { admin: true } })
    await app.store.transaction((tx) => connect(tx, identityOf(2, mona, rules)))
    return app
  }

  it('have the account from the moment it is connected, and not once it is disconnected', async () => {
    await using app = await joined()
    expect(namesOf(app)).toEqual(['staff'])
    await app.store.transaction((tx) => disconnect(tx, named(app, 'mona'), () => true))
    expect(namesOf(app)).toEqual([])
  })

  it('are lost also by a sign-in that is refused', async () => {
    await using app = await joined()
    const inside = { ...rules, allowedGroups: ['other'] }
    expect(await codeOf(admit(depsOf(app), mona, inside))).toBe('wrong_credentials')
    expect(namesOf(app)).toEqual([])
  })

  it('are lost by nobody for whom a directory says nothing', async () => {
    await using app = await joined()
    const entry = { ...mona, issuer: 'ldap:dc=example', groups: [] }
    await app.store.transaction((tx) => connect(tx, identityOf(2, entry, rules)))
    expect(namesOf(app)).toEqual(['staff'])
  })

  it('are left by those whom they claim no more', async () => {
    await using app = await joined()
    const { id } = await makeGroup(app.store, { name: 'by hand', members: [2] })
    const claiming = (claims: string[]) =>
      app.store.transaction((tx) => {
        for (const group of tx.all(GROUPS)) changeGroup(tx, { ...group, claims })
      })
    await claiming(['/staff', 'more'])
    expect(namesOf(app)).toEqual(['staff', 'by hand'])
    await claiming(['more'])
    expect(namesOf(app)).toEqual(['by hand'])
    expect(app.store.find(MEMBERSHIPS, 'groupID', id)).toHaveLength(1)
  })

  it('never make a sign-in fail, whoever administrates afterwards', async () => {
    await using app = await joined()
    const [admin] = app.store.all(USERS)
    await app.store.transaction((tx) => discardUser(tx, admin?.id ?? 0))
    const user = await admit(depsOf(app), { ...mona, groups: [] }, rules)
    expect(withEffective(app.store, user).perm.admin).toBe(false)
  })

  it('administrate no longer when nobody has signed in for too long', async () => {
    await using app = await joined()
    const isAdmin = () => withEffective(app.store, named(app, 'mona')).perm.admin
    expect(isAdmin()).toBe(true)
    const late = { ...rules, adminLifeMs: -1 }
    await app.store.transaction((tx) => connect(tx, identityOf(2, mona, late)))
    expect([isAdmin(), namesOf(app)]).toEqual([false, ['staff']])
  })
})

describe('a token of an account that only a provider opens', () => {
  it('rests when nobody has signed in for a month', async () => {
    await using app = await openApp()
    const user = await admit(depsOf(app), mona, rules)
    const folder = vpathOf('/')
    const wanted = { name: 'x', perm: all, folder, expiresMs: 0 }
    const { text } = await app.store.transaction((tx) => addApiToken(tx, user.id, wanted))
    const ask = () => app.fetch('/api/resources/', { headers: { 'X-Auth': text } })
    expect((await ask()).status).toBe(200)
    const lastSignInMs = Date.now() - 31 * 24 * 3_600_000
    await app.store.transaction((tx) => {
      const [own] = tx.find(IDENTITIES, 'userID', user.id)
      if (own) tx.replace(IDENTITIES, { ...own, lastSignInMs })
    })
    expect((await ask()).status).toBe(401)
  })
})

describe('a connection', () => {
  it('goes with the account', async () => {
    await using app = await openApp()
    const { id } = await admit(depsOf(app), mona, rules)
    await app.store.transaction((tx) => removeUser(tx, id))
    expect(app.store.count(IDENTITIES)).toBe(0)
  })

  it('is not taken over by another account', async () => {
    await using app = await openApp()
    await admit(depsOf(app), mona, rules)
    const outcome = app.store.transaction((tx) => connect(tx, identityOf(1, mona, rules)))
    expect(await codeOf(outcome)).toBe('exists')
  })

  it('stays as long as it is the only way in', async () => {
    await using app = await openApp()
    const user = await admit(depsOf(app), mona, rules)
    const outcome = app.store.transaction((tx) => disconnect(tx, user, () => true))
    expect(await codeOf(outcome)).toBe('conflict')
  })

  it('ends once the account has a password that somebody knows', async () => {
    await using app = await openApp()
    const user = await admit(depsOf(app), mona, rules)
    const { password } = named(app, 'admin')
    await app.store.transaction((tx) =>
      disconnect(tx, replaceUser(tx, { ...user, password }), () => true),
    )
    expect(app.store.count(IDENTITIES)).toBe(0)
  })
})
