// Versions of files that are not there any more: deleted ones, and those that were moved to another disk.

import { t } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { History, Trash2 } from 'lucide-react'
import type { LeftVersions } from '../../../src/keep-types.ts'
import { deleteVersions, listLeftVersions } from '../../api/versions.ts'
import { formatSize } from '../../lib/format.ts'
import { nameOf, parentOf, ROOT, shownName } from '../../lib/paths.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError } from '../../operations/toasts.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { FileTile } from '../../ui/file-icon.tsx'
import { WhenLoaded } from '../parts.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'

/** `onChanged`: some are gone, or a file is back. */
export function LeftVersionsList({ onChanged }: { onChanged: () => void }) {
  const { t } = useLingui()
  const loaded = useLoad('left versions', listLeftVersions)
  const act = async (work: Promise<unknown>) => {
    await work
    loaded.reload()
    onChanged()
  }
  return (
    <WhenLoaded loaded={loaded}>
      {({ items, total: count, totalBytes }) =>
        items.length === 0 ? (
          <EmptyState art="search" title={<Trans>Nothing found</Trans>}>
            <Trans>Earlier versions of files that no longer exist.</Trans>
          </EmptyState>
        ) : (
          <>
            <p className="trash__bar row wraps fs-md dim num">
              <Plural value={count} one="# item" other="# items" />
              {` · ${formatSize(totalBytes)}`}
            </p>
            <StackTable
              heads={
                <>
                  <th>{t`Name`}</th>
                  <th>{t`Versions`}</th>
                  <th>{t`Modified`}</th>
                  <th>{t`Size`}</th>
                  <ActionsHead />
                </>
              }
            >
              {items.map((item) => (
                <Row key={item.path} item={item} act={act} />
              ))}
            </StackTable>
          </>
        )
      }
    </WhenLoaded>
  )
}

interface RowProps {
  item: LeftVersions
  act: (work: Promise<unknown>) => Promise<void>
}

function Row({ item, act }: RowProps) {
  const { t } = useLingui()
  const { path, versions, size, replacedAt } = item
  const name = shownName(nameOf(path))
  const folder = parentOf(path)
  const show = () => void act(openPrompt('versions', { path, isText: false }))
  return (
    <tr className="trash__row">
      <td>
        <button type="button" className="row trash__entry trash__name" onClick={show}>
          <FileTile entry={{ name, isDir: false }} />
          <span className="shrinks">
            <bdi>{name}</bdi>
            <small>
              <bdi>{folder === ROOT ? folderTitle(ROOT) : shownName(folder)}</bdi>
            </small>
          </span>
        </button>
      </td>
      <td className="mid num" data-label={t`Versions`}>
        {versions}
      </td>
      <td className="mid" data-label={t`Modified`}>
        <DateText moment={replacedAt} />
      </td>
      <td className="mid num" data-label={t`Size`}>
        {formatSize(size)}
      </td>
      <td className="tbl__acts nowrap">
        <Button size="sm" icon={History} onClick={show}>
          <Trans>Show</Trans>
        </Button>
        {abilitiesOn(path).delete && (
          <IconButton
            size="sm"
            tone="danger"
            icon={Trash2}
            label={t`Delete for good`}
            onClick={() => act(askToDelete(item))}
          />
        )}
      </td>
    </tr>
  )
}

async function askToDelete({ path, size }: LeftVersions): Promise<void> {
  const name = shownName(nameOf(path))
  const answer = await openPrompt('confirm', {
    title: t`Delete for good`,
    text: `${name} · ${formatSize(size)}. ${t`This can’t be undone.`}`,
    answers: [{ id: 'delete', label: t`Delete for good`, tone: 'danger' }],
  })
  if (answer !== 'delete') return
  try {
    await deleteVersions(path)
  } catch (error) {
    toastError(error)
  }
}
