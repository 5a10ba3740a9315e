// The people in a group: those that administrators put in or take out, and those that come from elsewhere.

import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
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
          {shown.map(({ id, username: name }) => {
            const origin = origins.get(id)
            return (
              <li className="device" key={id}>
                <Avatar name={name} />
                <span className="grow row wraps shrinks">
                  <bdi>{name}</bdi>
                  {origin && <Badge>{origin === 'ldap' ? t`Directory` : t`Provider`}</Badge>}
                </span>
                <IconButton
                  size="sm"
                  icon={X}
                  label={t`Remove ${name}`}
                  disabled={origin && t`Comes from the directory or provider: change it there.`}
                  onClick={() => onChange(given.filter((each) => each !== id))}
                />
              </li>
            )
          })}
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
