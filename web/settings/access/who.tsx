// Whom a grant is for: a person, a group or everyone.

import { t } from '@lingui/core/macro'
import { Globe, Network } from 'lucide-react'
import type { GroupRecord } from '../../../src/access-types.ts'
import type { UserRecord } from '../../../src/api-types.ts'
import { Avatar } from '../../ui/badge.tsx'

export interface People {
  users: readonly UserRecord[]
  groups: readonly GroupRecord[]
}

/** The name behind `user:3`, `group:2` or `everyone`. */
export function nameOfWho(who: string, { users, groups }: People): string {
  const [kind, id] = who.split(':')
  if (kind === 'user') return users.find((user) => user.id === Number(id))?.username ?? who
  if (kind === 'group') return groups.find((group) => group.id === Number(id))?.name ?? who
  return t`Everyone`
}

export function WhoIcon({ who, name }: { who: string; name: string }) {
  if (who.startsWith('user:')) return <Avatar name={name} />
  const Icon = who === 'everyone' ? Globe : Network
  return (
    <span className="avatar avatar--icon" aria-hidden>
      <Icon className="i i-sm" />
    </span>
  )
}

/** Everybody that something can be said for, everyone and groups first. */
export function everyWho({ users, groups }: People): string[] {
  return [
    'everyone',
    ...groups.map(({ id }) => `group:${id}`),
    ...users.map(({ id }) => `user:${id}`),
  ]
}
