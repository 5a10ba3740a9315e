import { useLingui } from '@lingui/react/macro'
import { memo } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { useMinute } from '../../lib/clock.ts'
import { formatDate, formatMoment, formatSize } from '../../lib/format.ts'
import { useSession } from '../use-listing.ts'

interface Dated {
  modified: string
  unreachable?: FileEntry['unreachable'] | undefined
}

/** Relative or exact as the user prefers; the other form is the tooltip. Ticks every minute. */
export const EntryDate = memo(function EntryDate({ modified, unreachable }: Dated) {
  // Also what has the date written anew when the language changes.
  const { t } = useLingui()
  const nowMs = useMinute()
  const exact = useSession().user?.dateFormat === true
  const ms = Date.parse(modified)
  if (Number.isNaN(ms) || unreachable === true) return <>{t`Unknown`}</>
  const shown = formatDate(ms, exact, nowMs)
  const other = exact ? formatDate(ms, false, nowMs) : formatMoment(ms)
  return (
    <time dateTime={modified} data-tip={other === shown ? undefined : other}>
      {shown}
    </time>
  )
})

/** Folders show a dash: the size of a directory says nothing about what is in it. */
export const EntrySize = memo(function EntrySize({ entry }: { entry: FileEntry }) {
  const { t } = useLingui()
  if (entry.type === 'invalid_link') return <span className="broken-link">{t`Broken link`}</span>
  if (entry.unreachable === true)
    return <span className="broken-link">{t`Disk isn’t responding`}</span>
  if (entry.isDir) {
    return (
      <>
        <span aria-hidden>—</span>
        <span className="sr">{t`Folder`}</span>
      </>
    )
  }
  return <>{formatSize(entry.size)}</>
})

/** "8.2 MiB · Yesterday" (`taken` instead, unless that is ''), the date alone for folders, or that the disk does not answer. */
export function EntryFacts({ entry, taken }: { entry: FileEntry; taken?: string | undefined }) {
  const { t } = useLingui()
  if (entry.unreachable === true) {
    return (
      <small className="facts trunc facts--reason dim" data-tip={t`Disk isn’t responding`}>
        <EntrySize entry={entry} />
      </small>
    )
  }
  return (
    <small className="facts trunc num dim">
      {!entry.isDir && (
        <>
          <EntrySize entry={entry} />
          {taken !== '' && ' · '}
        </>
      )}
      {taken !== '' && <EntryDate modified={taken ?? entry.modified} />}
    </small>
  )
}
