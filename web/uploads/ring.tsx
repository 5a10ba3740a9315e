// How far all uploads and jobs are, in the header, while the Activity panel is folded.

import { useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { hasEnded, jobPercent, jobs } from '../state/jobs.ts'
import { collapseUploads, uploadPercent, uploads } from '../state/uploads.ts'
import { Ring } from '../ui/progress.tsx'

/** A click opens the panel again. */
export function ActivityRing() {
  const { t } = useLingui()
  const state = useSnapshot(uploads)
  const running = useSnapshot(jobs).list.filter((job) => !hasEnded(job))
  const shares = running.map(jobPercent)
  if (state.shown) shares.push(uploadPercent(state))
  const sum = shares.reduce((total, share) => total + share, 0)
  const percent = shares.length > 0 ? Math.floor(sum / shares.length) : 100
  const label = t`Activity: ${percent}% done. Show details`
  return (
    <button
      type="button"
      className="upring center rigid relative"
      aria-label={label}
      data-tip={t`Show activity`}
      onClick={() => collapseUploads(false)}
    >
      <Ring percent={percent} label={label} size={2} />
      <span className="upring__number num strong" aria-hidden>
        {percent}
      </span>
    </button>
  )
}
