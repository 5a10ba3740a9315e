// Entries of the trash: what it was and where, who deleted it, how long it stays, how large it is.

import { Trans, useLingui } from '@lingui/react/macro'
import { FolderInput, RotateCcw, Trash2 } from 'lucide-react'
import type { TrashItem } from '../../api/trash.ts'
import { useMinute } from '../../lib/clock.ts'
import { formatEnd, formatMoment, formatSize } from '../../lib/format.ts'
import { nameOf, parentOf, ROOT, shownName } from '../../lib/paths.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { IconButton } from '../../ui/button.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { FileTile } from '../../ui/file-icon.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { eraseEntries, restoreElsewhere, restoreEntries } from './trash-actions.ts'
import { trashHref } from './trash-address.ts'

interface TrashTableProps {
  items: readonly TrashItem[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
  /** Takes what `work` resolves with out of the table. */
  act: (work: Promise<string[]>) => Promise<void>
}

export function TrashTable({ items, chosen, onChoose, act }: TrashTableProps) {
  const { t } = useLingui()
  const all = items.every(({ id }) => chosen.has(id))
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    onChoose(next)
  }
  return (
    <StackTable
      heads={
        <>
          <th>
            <span className="row trash__entry">
              <Checkbox
                aria-label={t`Select all`}
                checked={all ? true : chosen.size > 0 ? 'mixed' : false}
                onChange={() => onChoose(new Set(all ? [] : items.map(({ id }) => id)))}
              />
              {t`Name`}
            </span>
          </th>
          <th>{t`Deleted`}</th>
          <th>{t`Expires`}</th>
          <th className="trash__size">{t`Size`}</th>
          <ActionsHead />
        </>
      }
    >
      {items.map((item) => (
        <Row
          key={item.id}
          item={item}
          chosen={chosen.has(item.id)}
          onToggle={() => toggle(item.id)}
          act={act}
        />
      ))}
    </StackTable>
  )
}

interface RowProps extends Pick<TrashTableProps, 'act'> {
  item: TrashItem
  chosen: boolean
  onToggle: () => void
}

function Row({ item, chosen, onToggle, act }: RowProps) {
  const { t } = useLingui()
  const { id, path, isLost, isDir, size, deletedAt, expiresAt, by, canRestore, canErase } = item
  const nowMs = useMinute()
  const name = shownName(nameOf(path))
  const folder = parentOf(path)
  return (
    <tr className={chosen ? 'trash__row is-chosen' : 'trash__row'}>
      <td>
        <span className="row trash__entry">
          <Checkbox aria-label={t`Select ${name}`} checked={chosen} onChange={onToggle} />
          <a className="row trash__entry trash__name shrinks" href={trashHref(id)}>
            <FileTile entry={{ name, isDir }} />
            <span className="shrinks">
              <bdi>{name}</bdi>
              <small>
                {isLost ? (
                  <Trans>Unknown origin</Trans>
                ) : (
                  <bdi>{folder === ROOT ? folderTitle(ROOT) : shownName(folder)}</bdi>
                )}
                {size !== null && <span className="trash__short num"> · {formatSize(size)}</span>}
              </small>
            </span>
          </a>
        </span>
      </td>
      <td className="mid" data-label={t`Deleted`}>
        {deletedAt !== null && <DateText moment={deletedAt} />}
        <small className="trash__who">{by !== null && <bdi>{by}</bdi>}</small>
      </td>
      <td className="mid" data-label={t`Expires`}>
        {expiresAt !== null && (
          <time dateTime={expiresAt} data-tip={formatMoment(expiresAt)}>
            {formatEnd(expiresAt, nowMs)}
          </time>
        )}
      </td>
      <td className="trash__size mid num">{size !== null && formatSize(size)}</td>
      <td className="tbl__acts nowrap">
        {canRestore && (
          <>
            <IconButton
              size="sm"
              icon={RotateCcw}
              flipIcon
              label={t`Restore`}
              onClick={() => act(restoreEntries([item]))}
            />
            <IconButton
              size="sm"
              className="trash__elsewhere"
              icon={FolderInput}
              flipIcon
              label={t`Restore to…`}
              onClick={() => act(restoreElsewhere([item]))}
            />
          </>
        )}
        {canErase && (
          <IconButton
            size="sm"
            tone="danger"
            icon={Trash2}
            label={t`Delete for good`}
            onClick={() => act(eraseEntries([item]))}
          />
        )}
      </td>
    </tr>
  )
}
