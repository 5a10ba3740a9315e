// Groups, for administrators (docs/http-api.md 32): listed, made, changed and removed by people alone, never by tokens.
import { Hono } from 'hono'
import { changeGroup, checkedGroup } from '../../access/groups.ts'
import type { GroupRecord } from '../../access-types.ts'
import { answer, JSON_TYPE } from '../../http/answer.ts'
import { addFacts, audited } from '../../http/audit.ts'
import { readJson } from '../../http/body.ts'
import { type Ctx, type Env, recheck } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { requireAdmin, requireSession, requireUser } from '../../http/guard.ts'
import { sendJson, sendStatus, toJson } from '../../http/respond.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import { asString, type Reader, readLike, readObject, zeroOf } from '../../lib/parse.ts'
import { addGroup, removeGroup, setMembers } from '../../store/access/groups.ts'
import { type Group, type Membership, parseMember, parseQuota } from '../../store/access/records.ts'
import type { Records, Store, Transaction } from '../../store/collection.ts'
import { GROUPS, MEMBERSHIPS, USERS } from '../../store/collections.ts'
import { defaultPermissions } from '../../store/document.ts'
import { demandPassword } from '../users.ts'

export function groupRoutes(deps: Deps): Hono<Env> {
  const app = new Hono<Env>()
  const user = requireUser(deps)
  const { store } = deps
  app.get('/api/groups', user, requireAdmin, async () =>
    sendJson(await Promise.all(store.all(GROUPS).map((group) => loadGroup(store, group)))),
  )
  app.get('/api/groups/:id', user, requireAdmin, async (c) =>
    sendJson(await loadGroup(store, demandGroup(store, c))),
  )
  app.post('/api/groups', user, audited('group-add'), requireSession, requireAdmin, async (c) => {
    const given = await readGroup(c, deps)
    addFacts(c, { target: given.name?.slice(0, 255) ?? '' })
    const made = await store.transaction((tx) => {
      recheck(c)
      const group = addGroup(tx, checkedGroup({ ...NOTHING, ...given }))
      return withMembers(tx, group, given.members)
    })
    return answer(toJson(made), JSON_TYPE, 201)
  })
  app.put('/api/groups/:id', user, audited('group-change'), requireSession, requireAdmin, (c) =>
    change(c, deps),
  )
  app.delete('/api/groups/:id', user, audited('group-delete'), requireSession, requireAdmin, (c) =>
    remove(c, deps),
  )
  return app
}

const NOTHING: Omit<Group, 'id'> = {
  name: '',
  perm: zeroOf(defaultPermissions()),
  homeQuota: null,
  claims: [],
}

async function loadGroup({ large }: Store, group: Group): Promise<GroupRecord> {
  return presentGroup(group, await large.find(MEMBERSHIPS, 'groupID', group.id))
}

function presentGroup(group: Group, memberships: readonly Membership[]): GroupRecord {
  return { ...group, members: memberships.map(({ userID, from }) => ({ userID, from })) }
}

interface Given extends Partial<Omit<Group, 'id'>> {
  /** Ids of accounts. */
  members?: number[]
}

// What is absent stays as it is. Members that a provider has given are no part of it.
function parseGiven(r: Reader): Given {
  const isGiven = (key: keyof Given) => r.raw(key) !== undefined
  return {
    ...(isGiven('name') && { name: r.str('name') }),
    ...(isGiven('perm') && { perm: r.obj('perm', (p) => readLike(p, NOTHING.perm)) }),
    ...(isGiven('homeQuota') && { homeQuota: parseQuota(r, 'homeQuota') }),
    ...(isGiven('claims') && { claims: r.list('claims', asString) }),
    ...(isGiven('members') && {
      members: r
        .list('members', (value, at) => parseMember(readObject(value, at)))
        .flatMap(({ userID, from }) => (from === 'admin' ? userID : [])),
    }),
  }
}

async function readGroup(c: Ctx, deps: Deps): Promise<Given> {
  const { currentPassword, given } = await readJson(c, deps, (r) => ({
    currentPassword: r.str('current_password'),
    given: parseGiven(r),
  }))
  await demandPassword(c, deps, currentPassword)
  return given
}

async function change(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { target: demandGroup(deps.store, c).name })
  const { members, ...given } = await readGroup(c, deps)
  const changed = await deps.store.transaction((tx) => {
    recheck(c)
    const group = checkedGroup({ ...demandGroup(tx, c), ...given })
    return withMembers(tx, changeGroup(tx, group), members)
  })
  return sendJson(changed)
}

async function remove(c: Ctx, deps: Deps): Promise<Response> {
  addFacts(c, { target: demandGroup(deps.store, c).name })
  const currentPassword = await readJson(c, deps, (r) => r.str('current_password'))
  await demandPassword(c, deps, currentPassword)
  await deps.store.transaction((tx) => {
    recheck(c)
    removeGroup(tx, demandGroup(tx, c).id)
  })
  return sendStatus(204)
}

function withMembers(tx: Transaction, group: Group, members: number[] | undefined): GroupRecord {
  tx.expect(USERS, () => members ?? [])
  for (const id of members ?? []) if (!tx.get(USERS, id)) throw badRequest(`there is no user ${id}`)
  if (members) setMembers(tx, group.id, members)
  return presentGroup(group, tx.find(MEMBERSHIPS, 'groupID', group.id))
}

function demandGroup(records: Records, c: Ctx): Group {
  const group = records.get(GROUPS, Number(c.req.param('id')))
  if (!group) throw new AppError('not_found', 'no such group')
  return group
}
