// The people in a group: those that administrators put in or take out, and those that come from elsewhere.

import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { GroupRecord } from '../../../src/access-types.ts'
import type { UserRecord } from '../../../src/api-types.ts'
import type { ControlProps } from '../../lib/form-part.ts'
import { Avatar, Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Picker } from './picker.tsx'

interface MemberListProps extends ControlProps<number[]> {
  users: readonly UserRecord[]
  /** As loaded: who comes from elsewhere stays. */
  members: GroupRecord['members']
}

export function MemberList({ users, members, value: given, onChange }: MemberListProps) {
  const { t } = useLingui()
  const origins = new Map(
    members.flatMap(({ userID, from }) => (from === 'admin' ? [] : [[userID, from] as const])),
  )
  const isIn = ({ id }: UserRecord) => origins.has(id) || given.includes(id)
  const shown = users.filter(isIn)
  return (
    <>
      {shown.length > 0 && (
        <ul className="devices">
          {shown.map(({ id, username: name }) => (
            <Membership
              key={id}
              icon={<Avatar name={name} />}
              name={name}
              origin={origins.get(id)}
              onRemove={() => onChange(given.filter((each) => each !== id))}
            />
          ))}
        </ul>
      )}
      <Picker
        label={t`Find a user`}
        options={users
          .filter((user) => !isIn(user))
          .map(({ id, username }) => ({
            value: String(id),
            label: username,
            icon: <Avatar name={username} />,
          }))}
        onPick={(id) => onChange([...given, Number(id)])}
      />
    </>
  )
}

interface MembershipProps {
  icon: ReactNode
  /** Of the account or of the group, whichever is listed. */
  name: string
  /** Where it comes from, when it can be ended there alone. */
  origin: 'oidc' | 'ldap' | undefined
  onRemove: () => void
}

/** One account of a group, or one group of an account. */
export function Membership({ icon, name, origin, onRemove }: MembershipProps) {
  const { t } = useLingui()
  return (
    <li className="device">
      {icon}
      <span className="grow row wraps shrinks">
        <bdi>{name}</bdi>
        {origin && <Badge>{origin === 'ldap' ? t`Directory` : t`Provider`}</Badge>}
      </span>
      <IconButton
        size="sm"
        icon={X}
        label={t`Remove ${name}`}
        disabled={origin && t`Managed by the directory or provider. Change it there.`}
        onClick={onRemove}
      />
    </li>
  )
}
