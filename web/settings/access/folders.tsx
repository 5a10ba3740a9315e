// Folders of which something is said: who may do what there, a name at the top, a limit.

import { Trans, useLingui } from '@lingui/react/macro'
import { Pencil, Plus } from 'lucide-react'
import type { FolderList } from '../../../src/access-types.ts'
import { listFolders, listGroups } from '../../api/access.ts'
import { listUsers } from '../../api/users.ts'
import { boot } from '../../lib/boot.ts'
import { formatCounts, formatList, formatSize } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { FolderGlyph } from '../../ui/file-icon.tsx'
import { ProgressBar } from '../../ui/progress.tsx'
import { WhenLoaded } from '../parts.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'
import { LimitText } from './limit-field.tsx'
import { nameOfWho, type People } from './who.tsx'

type Folder = FolderList['items'][number]

export async function loadFolders(signal: AbortSignal): Promise<People & FolderList> {
  const [list, users, groups] = await Promise.all([
    listFolders(signal),
    listUsers(signal),
    listGroups(signal),
  ])
  return { ...list, users, groups }
}

export function FoldersPage() {
  const loaded = useLoad('folders', loadFolders)
  return <WhenLoaded loaded={loaded}>{(data) => <FolderTable {...data} />}</WhenLoaded>
}

const NEW = `${boot.BaseURL}/settings/folders/new`
const hrefOf = (place: string) =>
  `${boot.BaseURL}/settings/folders/record?${new URLSearchParams({ place })}`

function FolderTable({ items, users, groups }: People & FolderList) {
  const { t } = useLingui()
  const add = (
    <a className="btn btn--fill" href={NEW}>
      <span className="btn__label">
        <Plus className="i i-sm" aria-hidden />
        <Trans>Add a folder</Trans>
      </span>
    </a>
  )
  if (items.length === 0) {
    return <EmptyState art="folder" title={<Trans>Who may do what</Trans>} actions={add} />
  }
  return (
    <>
      <div className="tbl-top row wraps">
        <span className="dim num">{formatCounts(items.length, 0)}</span>
        <span className="grow" />
        {add}
      </div>
      <StackTable
        heads={
          <>
            <th style={{ inlineSize: '34%' }}>{t`Folder`}</th>
            <th style={{ inlineSize: '16%' }}>{t`Top-level name`}</th>
            <th>{t`Who`}</th>
            <th style={{ inlineSize: '22%' }}>{t`Limit`}</th>
            <ActionsHead width="3.5rem" />
          </>
        }
      >
        {items.map((folder) => (
          <FolderRow key={folder.place} folder={folder} people={{ users, groups }} />
        ))}
      </StackTable>
    </>
  )
}

function FolderRow({ folder, people }: { folder: Folder; people: People }) {
  const { t } = useLingui()
  const { place, as, quota, usedBytes, grants, isMissing } = folder
  const who = formatList(grants.map((grant) => nameOfWho(grant.who, people)))
  return (
    <tr>
      <td>
        <a className="tbl__main row" href={hrefOf(place)}>
          <FolderGlyph />
          <bdi dir="ltr">{place}</bdi>
          {isMissing && <MissingBadge />}
        </a>
      </td>
      <td className="tbl__cut trunc mid" data-label={as && t`Top-level name`} data-tip={as}>
        {as && <bdi className="trunc">{as}</bdi>}
      </td>
      <td className="tbl__cut trunc mid" data-label={who && t`Who`} data-tip={who}>
        {who}
      </td>
      <td className={quota === null ? 'tbl__none' : 'mid num'} data-label={t`Limit`}>
        {quota === null || usedBytes === undefined ? (
          <LimitText bytes={quota} />
        ) : (
          <Used used={usedBytes} total={quota} />
        )}
      </td>
      <td className="tbl__acts nowrap">
        <a
          className="ib ib--sm"
          href={hrefOf(place)}
          aria-label={t`Edit ${folder.place}`}
          data-tip={t`Edit ${folder.place}`}
        >
          <Pencil className="i i-sm" aria-hidden />
        </a>
      </td>
    </tr>
  )
}

/** Its disk is not plugged in, or the folder is gone. */
export function MissingBadge() {
  return (
    <Badge tone="warn">
      <Trans>Missing</Trans>
    </Badge>
  )
}

/** How much of a limit is used; both in bytes. */
export function Used({ used: usedBytes, total: totalBytes }: { used: number; total: number }) {
  const { t } = useLingui()
  const percent = totalBytes === 0 ? 100 : (usedBytes / totalBytes) * 100
  const used = formatSize(usedBytes)
  const total = formatSize(totalBytes)
  return (
    <span className="used stack">
      <ProgressBar
        percent={percent}
        label={t`Storage used`}
        tone={percent >= 95 ? 'bad' : percent >= 85 ? 'warn' : 'accent'}
      />
      <span className="fs-sm dim num">{t`${used} of ${total}`}</span>
    </span>
  )
}
