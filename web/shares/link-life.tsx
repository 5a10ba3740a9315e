import { Trans } from '@lingui/react/macro'
import { Clock } from 'lucide-react'
import { useMinute } from '../lib/clock.ts'
import { formatEndInText, formatMoment } from '../lib/format.ts'

export function LinkLife({ expiresAtMs }: { expiresAtMs: number | null }) {
  const nowMs = useMinute()
  if (expiresAtMs === null) return null
  const when = formatEndInText(expiresAtMs, nowMs)
  return (
    <p className="publife row dim fs-sm">
      <Clock className="i i-xs" aria-hidden />
      <time dateTime={new Date(expiresAtMs).toISOString()} data-tip={formatMoment(expiresAtMs)}>
        <Trans>Link expires: {when}</Trans>
      </time>
    </p>
  )
}
