// The groups of the instance.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Network, Pencil, Plus } from 'lucide-react'
import type { GroupRecord } from '../../../src/access-types.ts'
import { listGroups } from '../../api/access.ts'
import { boot } from '../../lib/boot.ts'
import { EmptyState } from '../../ui/empty.tsx'
import { WhenLoaded } from '../parts.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'
import { usePermissionWords } from '../users/permission-words.ts'
import { LimitText } from './limit-field.tsx'

export function GroupsPage() {
  const loaded = useLoad('groups', listGroups)
  return <WhenLoaded loaded={loaded}>{(groups) => <GroupTable groups={groups} />}</WhenLoaded>
}

const hrefOf = (id: number | 'new') => `${boot.BaseURL}/settings/groups/${id}`

/** Whoever is in it by several ways is one member. */
const countOf = ({ members }: GroupRecord) => new Set(members.map(({ userID }) => userID)).size

function GroupTable({ groups }: { groups: readonly GroupRecord[] }) {
  const { t } = useLingui()
  const words = usePermissionWords()
  const add = (
    <a className="btn btn--fill" href={hrefOf('new')}>
      <span className="btn__label">
        <Plus className="i i-sm" aria-hidden />
        <Trans>New group</Trans>
      </span>
    </a>
  )
  if (groups.length === 0) {
    return (
      <EmptyState art="people" title={t`Groups`} actions={add}>
        <Trans>
          Members get the permissions and folder rights of their groups in addition to their own.
        </Trans>
      </EmptyState>
    )
  }
  return (
    <>
      <div className="tbl-top row wraps">
        <span className="dim num">
          <Plural value={groups.length} one="# group" other="# groups" />
        </span>
        <span className="grow" />
        {add}
      </div>
      <StackTable
        heads={
          <>
            <th style={{ inlineSize: '32%' }}>{t`Name`}</th>
            <th>{t`Members`}</th>
            <th>{t`Permissions`}</th>
            <th>{t`Home limit`}</th>
            <ActionsHead width="3.5rem" />
          </>
        }
      >
        {groups.map((group) => (
          <tr key={group.id}>
            <td>
              <a className="tbl__main row" href={hrefOf(group.id)}>
                <Network className="i mid" aria-hidden />
                <bdi>{group.name}</bdi>
              </a>
            </td>
            <td className="mid num" data-label={t`Members`}>
              {countOf(group)}
            </td>
            <td
              className="tbl__cut trunc mid"
              data-label={t`Permissions`}
              data-tip={words(group.perm)}
            >
              {words(group.perm)}
            </td>
            <td className="mid num" data-label={t`Home limit`}>
              <LimitText bytes={group.homeQuota} />
            </td>
            <td className="tbl__acts nowrap">
              <a
                className="ib ib--sm"
                href={hrefOf(group.id)}
                aria-label={t`Edit ${group.name}`}
                data-tip={t`Edit ${group.name}`}
              >
                <Pencil className="i i-sm" aria-hidden />
              </a>
            </td>
          </tr>
        ))}
      </StackTable>
    </>
  )
}
