// Where uploads and jobs show themselves on every screen: the line on top, the panel in the corner and, while
// the panel is folded away, the ring in the header. The panel is loaded when there is something in it.

import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { useSnapshot } from 'valtio'
import { useFirstLoadOver } from '../layout/first-load.ts'
import { onDemandBeside } from '../lib/page/on-demand.tsx'
import { jobs } from '../state/jobs.ts'
import { session } from '../state/session.ts'
import { isUploading, uploadPercent, uploads } from '../state/uploads.ts'
import { findInterrupted } from './entry.ts'
import './dock.css'

const ActivityPanel = onDemandBeside(async () => (await import('./panel.tsx')).ActivityPanel)
const ActivityRing = onDemandBeside(async () => (await import('./ring.tsx')).ActivityRing)

export function UploadDock() {
  const state = useSnapshot(uploads)
  const { list, unknown, everybody } = useSnapshot(jobs)
  const user = useSnapshot(session).user?.id
  const asking = useFirstLoadOver() ? user : undefined
  const shown = state.shown || list.length > 0 || everybody
  const open = (shown && !state.collapsed) || state.interrupted.length > 0
  const header = state.collapsed ? document.getElementById('header-uploads') : null

  useEffect(() => {
    if (asking !== undefined) void findInterrupted()
  }, [asking])

  useEffect(() => {
    if (asking !== undefined && unknown) void findJobs()
  }, [asking, unknown])

  return (
    <>
      {isUploading(state) && (
        <div className="upline" aria-hidden style={{ inlineSize: `${uploadPercent(state)}%` }} />
      )}
      {header !== null && shown && createPortal(<ActivityRing />, header)}
      {open && <ActivityPanel />}
    </>
  )
}

async function findJobs(): Promise<void> {
  const { findJobs } = await import('../operations/follow-jobs.ts')
  await findJobs().catch(() => {})
}
