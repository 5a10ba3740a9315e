// What only fingers bring up: commands under a row that is swiped aside, the mark of pulling down.

import { useSnapshot } from 'valtio'
import { Spinner } from '../../ui/progress.tsx'
import { pull } from './pull.ts'
import { SwipeActions } from './row-swipe.tsx'

export function FingerParts() {
  return (
    <>
      <SwipeActions />
      <PullMark />
    </>
  )
}

function PullMark() {
  const { share, refreshing } = useSnapshot(pull)
  if (share === null && !refreshing) return null
  const way = refreshing ? 1 : Math.min(1, share ?? 0)
  return (
    <div
      className={refreshing ? 'pull is-refreshing' : 'pull'}
      style={{ opacity: way, transform: `translate(-50%, ${way * 3}rem) rotate(${way * 270}deg)` }}
      aria-hidden
    >
      <Spinner />
    </div>
  )
}
