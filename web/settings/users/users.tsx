// The accounts of the instance.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { KeyRound, Pencil, Search, ShieldCheck, ShieldOff, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import type { UserRecord } from '../../../src/api-types.ts'
import type { AccountIdentityRecord } from '../../../src/provider-types.ts'
import { listSecondFactors } from '../../api/second-factor.ts'
import { listIdentities, listUsers } from '../../api/users.ts'
import { boot } from '../../lib/boot.ts'
import { toastError } from '../../operations/toasts.ts'
import { session } from '../../state/session.ts'
import { Avatar, Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { WhenLoaded } from '../parts.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'
import { usePermissionWords } from './permission-words.ts'
import { hasSecondFactors, resetFactor } from './user-factor.tsx'

export function UsersPage() {
  const loaded = useLoad('users', (signal) =>
    Promise.all([
      listUsers(signal),
      hasSecondFactors() ? listSecondFactors(signal) : [],
      listIdentities(signal),
    ]),
  )
  return (
    <WhenLoaded loaded={loaded}>
      {([users, factors, identities]) => (
        <UserTable
          users={users}
          withFactor={new Set(factors.filter(({ active }) => active).map(({ userID }) => userID))}
          origins={new Map(identities.map((identity) => [identity.userID, identity]))}
          onChange={loaded.reload}
        />
      )}
    </WhenLoaded>
  )
}

interface UserTableProps {
  users: UserRecord[]
  /** Numbers of the accounts that sign in with a second step. */
  withFactor: ReadonlySet<number>
  /** Where accounts come from that are not kept here alone, by their numbers. */
  origins: ReadonlyMap<number, AccountIdentityRecord>
  onChange: () => void
}

function UserTable({ users, withFactor, origins, onChange }: UserTableProps) {
  const { t } = useLingui()
  const { user: me } = useSnapshot(session)
  const [find, setFind] = useState('')
  const wanted = find.trim().toLocaleLowerCase()
  const shown = users.filter(
    (user) =>
      user.username.toLocaleLowerCase().includes(wanted) ||
      user.scope.toLocaleLowerCase().includes(wanted),
  )
  return (
    <>
      <div className="tbl-top row wraps">
        <TextField
          label={t`Find a user`}
          hideLabel
          type="search"
          placeholder={t`Find a user`}
          icon={Search}
          value={find}
          onChange={setFind}
        />
        <span className="dim num" role="status">
          <Plural value={shown.length} one="# user" other="# users" />
        </span>
        <span className="grow" />
        <a className="btn btn--fill" href={hrefOf('new')}>
          <span className="btn__label">
            <UserPlus className="i i-sm" aria-hidden />
            <Trans>New user</Trans>
          </span>
        </a>
      </div>
      {shown.length === 0 ? (
        <EmptyState art="people" title={<Trans>No users found</Trans>} />
      ) : (
        <StackTable
          heads={
            <>
              <th style={{ inlineSize: '32%' }}>{t`Username`}</th>
              <th style={{ inlineSize: '13%' }}>{t`Administrator`}</th>
              <th style={{ inlineSize: '18%' }}>{t`Root folder`}</th>
              <th>{t`Permissions`}</th>
              <ActionsHead width="5.5rem" />
            </>
          }
        >
          {shown.map((user) => (
            <UserRow
              key={user.id}
              user={user}
              own={user.id === me?.id}
              hasFactor={withFactor.has(user.id)}
              origin={origins.get(user.id)}
              onChange={onChange}
            />
          ))}
        </StackTable>
      )}
    </>
  )
}

const hrefOf = (id: number | 'new') => `${boot.BaseURL}/settings/users/${id}`

interface UserRowProps {
  user: UserRecord
  own: boolean
  hasFactor: boolean
  origin: AccountIdentityRecord | undefined
  onChange: () => void
}

function UserRow({ user, own, hasFactor, origin, onChange }: UserRowProps) {
  const { t } = useLingui()
  const isAdmin = user.perm.admin || origin?.admin === true
  const words = usePermissionWords()(user.perm)
  return (
    <tr>
      <td>
        <a className="tbl__main row" href={hrefOf(user.id)}>
          <Avatar name={user.username} />
          <bdi>{user.username}</bdi>
          {own && (
            <Badge>
              <Trans>You</Trans>
            </Badge>
          )}
          {origin && <Badge>{origin.from === 'directory' ? t`Directory` : t`Provider`}</Badge>}
          {hasFactor && (
            <span className="tbl__factor" data-tip={t`Two-step sign-in is on`}>
              <KeyRound className="i i-sm" aria-hidden />
              <span className="sr">{t`Two-step sign-in is on`}</span>
            </span>
          )}
        </a>
      </td>
      <td className={isAdmin ? '' : 'tbl__none'}>
        {isAdmin ? (
          <Badge tone="accent" icon={ShieldCheck}>
            <Trans>Administrator</Trans>
          </Badge>
        ) : (
          <span className="dim">—</span>
        )}
      </td>
      <td className="tbl__cut trunc mono mid" data-label={t`Root folder`} data-tip={user.scope}>
        <bdi dir="ltr">{user.scope}</bdi>
      </td>
      <td className="tbl__cut trunc mid" data-label={t`Permissions`} data-tip={words}>
        {words}
      </td>
      <td className="tbl__acts nowrap">
        {hasFactor && !own && (
          <IconButton
            size="sm"
            icon={ShieldOff}
            label={t`Reset two-step sign-in of ${user.username}`}
            onClick={() =>
              void resetFactor(user.id, user.username)
                .then((done) => done && onChange())
                .catch(toastError)
            }
          />
        )}
        <a
          className="ib ib--sm"
          href={hrefOf(user.id)}
          aria-label={t`Edit ${user.username}`}
          data-tip={t`Edit ${user.username}`}
        >
          <Pencil className="i i-sm" aria-hidden />
        </a>
      </td>
    </tr>
  )
}
