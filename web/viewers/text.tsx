// Text: the editor for one's own files, a reader for shares.

import { useLingui } from '@lingui/react/macro'
import { lazy, Suspense } from 'react'
import { LazyEditor } from '../editor/lazy-editor.ts'
import { useFrameActions } from './frame-actions.ts'
import type { ViewerProps } from './source.ts'
import { Busy } from './tools.tsx'
import { MAX_TEXT_BYTES } from './use-text.ts'

const BigText = lazy(async () => ({ default: (await import('./big-text.tsx')).BigText }))
const SharedText = lazy(async () => ({ default: (await import('./shared-text.tsx')).SharedText }))

export function TextViewer(props: ViewerProps) {
  if (props.source.kind === 'files') return <OwnText {...props} />
  const Reader = props.entry.size > MAX_TEXT_BYTES ? BigText : SharedText
  return (
    <Suspense fallback={<Busy />}>
      <Reader source={props.source} entry={props.entry} />
    </Suspense>
  )
}

function OwnText(props: ViewerProps) {
  const { t } = useLingui()
  const actions = useFrameActions(props)
  return (
    <Suspense fallback={<div className="ed-splash" role="status" aria-label={t`Loading`} />}>
      <LazyEditor source={props.source} entry={props.entry} actions={actions} close={props.close} />
    </Suspense>
  )
}
