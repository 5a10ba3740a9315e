// What is drawn while entries are dragged: they themselves beside the pointer, with what would happen to them.

import { Plural, Trans } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { EntryIcon } from '../grid/entry-cells.tsx'
import { NameLabel } from '../grid/name-label.tsx'
import { drag } from './drag-session.ts'

/** Right of and below the pointer, so that it does not hide what is under it. */
const OFFSET_PX = 14

export function DragGhost() {
  const { kind, entries, target, copy, x, y } = useSnapshot(drag)
  const [first] = entries as readonly FileEntry[]
  if (kind !== 'entries' || first === undefined) return null
  const count = entries.length
  return (
    <div
      className="ghost"
      style={{ transform: `translate(${x + OFFSET_PX}px, ${y + OFFSET_PX}px)` }}
      aria-hidden
    >
      <EntryIcon entry={first} />
      <GhostWords entry={first} count={count} target={target} copy={copy} />
      {count > 1 && <b className="ghost__count center num fs-sm">{count}</b>}
    </div>
  )
}

interface WordsProps {
  entry: FileEntry
  count: number
  target: string | null
  copy: boolean
}

function GhostWords({ entry, count, target, copy }: WordsProps) {
  if (target === null) {
    return count === 1 ? (
      <NameLabel name={entry.name} />
    ) : (
      <span>
        <Plural value={count} one="# item" other="# items" />
      </span>
    )
  }
  const folder = <strong>{folderTitle(target)}</strong>
  return (
    <span>
      {copy ? (
        <Plural
          value={count}
          one={<Trans>Copy # item to {folder}</Trans>}
          other={<Trans>Copy # items to {folder}</Trans>}
        />
      ) : (
        <Plural
          value={count}
          one={<Trans>Move # item to {folder}</Trans>}
          other={<Trans>Move # items to {folder}</Trans>}
        />
      )}
    </span>
  )
}
