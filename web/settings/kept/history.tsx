// What the account has changed, by whatever client, and taking it back.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import type { HistoryItem, HistoryPage as Page } from '../../../src/history-types.ts'
import { listHistory } from '../../api/history.ts'
import { formatSize } from '../../lib/format.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { takeBack } from '../../operations/undo-record.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { PathText } from '../../ui/path-text.tsx'
import { WhenLoaded } from '../parts.tsx'
import { ActionsHead, StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'
import { useOlder } from '../use-older.tsx'

export function HistoryPage() {
  const [turn, setTurn] = useState(0)
  const loaded = useLoad(`history ${turn}`, (signal) => listHistory('', signal))
  return (
    <WhenLoaded loaded={loaded}>
      {(page) => (
        <Records key={turn} first={page} onUndone={() => setTurn((before) => before + 1)} />
      )}
    </WhenLoaded>
  )
}

function Records({ first, onUndone }: { first: Page; onUndone: () => void }) {
  const { t } = useLingui()
  const { older, more } = useOlder(first.next, listHistory)

  const items = [...first.items, ...older]
  if (items.length === 0) {
    return <EmptyState art="search" title={<Trans>No activity</Trans>} />
  }
  return (
    <>
      <StackTable
        heads={
          <>
            <th style={{ inlineSize: '22%' }}>{t`What`}</th>
            <th>{t`Where`}</th>
            <th style={{ inlineSize: '18%' }}>{t`When`}</th>
            <ActionsHead width="9rem" />
          </>
        }
      >
        {items.map((item) => (
          <Row key={item.id} item={item} onUndone={onUndone} />
        ))}
      </StackTable>
      {more}
    </>
  )
}

function Row({ item, onUndone }: { item: HistoryItem; onUndone: () => void }) {
  const { t } = useLingui()
  const words = useKindWords()
  const [busy, setBusy] = useState(false)
  const { id, at, kind, path, to, files: count, bytes, times, via, undo, undoes } = item

  async function takeItBack() {
    setBusy(true)
    try {
      if (await takeBack(id)) toastSuccess(t`Undone`)
    } catch (error) {
      toastError(error)
    }
    onUndone()
  }

  return (
    <tr>
      <td>
        <span className="row activity__what wraps">
          <span>{words[kind]}</span>
          {undoes !== undefined && <Badge>{t`Undo`}</Badge>}
          {via === 'api' && <Badge>API</Badge>}
          {via === 'dav' && <Badge>WebDAV</Badge>}
        </span>
        <small className="dim num">
          {times === undefined ? (
            <Plural value={count} one="# item" other="# items" />
          ) : (
            <Plural value={times} one="# time" other="# times" />
          )}
          {bytes > 0 && ' · '}
          {bytes > 0 && <span className="nowrap">{formatSize(bytes)}</span>}
        </small>
      </td>
      <td className="activity__where" data-label={path && t`Where`}>
        {path !== undefined && <PathText path={path} />}
        {to !== undefined && (
          <small className="dim">
            <Trans>
              to <bdi>{to}</bdi>
            </Trans>
          </small>
        )}
      </td>
      <td className="mid" data-label={t`When`}>
        <DateText moment={at} />
      </td>
      <td className="tbl__acts nowrap">
        {undo === 'yes' && (
          <Button
            size="sm"
            tone="line"
            icon={Undo2}
            flipIcon
            busy={busy}
            onClick={() => void takeItBack()}
          >
            <Trans>Undo</Trans>
          </Button>
        )}
        {undo === 'done' && <Badge>{t`Undone`}</Badge>}
      </td>
    </tr>
  )
}

function useKindWords(): Record<HistoryItem['kind'], string> {
  const { t } = useLingui()
  return {
    upload: t`Uploaded`,
    save: t({ message: 'Saved', context: 'activity' }),
    folder: t`Created a folder`,
    copy: t`Copied`,
    move: t`Moved`,
    delete: t`Deleted`,
    restore: t`Restored`,
    mode: t`Changed permissions`,
  }
}
