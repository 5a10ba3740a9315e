import { useMinute } from '../lib/clock.ts'
import { formatDate, formatDistance, formatMoment } from '../lib/format.ts'

interface DateTextProps {
  /** RFC 3339, or ms since the epoch. */
  moment: string | number
  /** Date and time instead of "2 hours ago". */
  exact?: boolean
}

export function DateText({ moment, exact = false }: DateTextProps) {
  const nowMs = useMinute()
  const date = new Date(moment)
  if (Number.isNaN(date.getTime())) return <span>—</span>
  return (
    <time
      dateTime={date.toISOString()}
      data-tip={exact ? formatDistance(date, nowMs) : formatMoment(date)}
    >
      {formatDate(date, exact, nowMs)}
    </time>
  )
}
