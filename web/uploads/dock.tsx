// Where uploads show themselves on every screen: the line on top, the panel in the corner and, while
// the panel is folded away, the ring in the header. The panel is loaded when there is something in it.

import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { createPortal } from 'react-dom'
import { useSnapshot } from 'valtio'
import { onDemandAtOnce } from '../lib/page/on-demand.tsx'
import { session } from '../state/session.ts'
import { collapseUploads, isUploading, uploadPercent, uploads } from '../state/uploads.ts'
import { Ring } from '../ui/progress.tsx'
import { findInterrupted } from './entry.ts'
import './dock.css'

const UploadPanel = onDemandAtOnce(async () => (await import('./panel.tsx')).UploadPanel)

export function UploadDock() {
  const state = useSnapshot(uploads)
  const user = useSnapshot(session).user?.id
  const open = (state.shown && !state.collapsed) || state.interrupted.length > 0
  const header = state.collapsed ? document.getElementById('header-uploads') : null

  useEffect(() => {
    if (user !== undefined) void findInterrupted()
  }, [user])

  return (
    <>
      {isUploading(state) && (
        <div className="upline" aria-hidden style={{ inlineSize: `${uploadPercent(state)}%` }} />
      )}
      {header !== null && createPortal(<UploadRing />, header)}
      {open && <UploadPanel />}
    </>
  )
}

/** In the header: how far uploads are while their panel is folded; a click opens it again. */
function UploadRing() {
  const { t } = useLingui()
  const state = useSnapshot(uploads)
  if (!state.shown || !state.collapsed) return null
  const percent = Math.floor(uploadPercent(state))
  return (
    <button
      type="button"
      className="upring center rigid relative"
      aria-label={t`Uploads: ${percent} % done. Show details`}
      data-tip={t`Show uploads`}
      onClick={() => collapseUploads(false)}
    >
      <Ring percent={percent} label={t`Upload progress`} size={2} />
      <span className="upring__number num strong" aria-hidden>
        {percent}
      </span>
    </button>
  )
}
