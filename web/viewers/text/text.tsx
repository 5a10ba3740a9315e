// Text: the editor for one's own files, a reader for shares.

import { useLingui } from '@lingui/react/macro'
import { Suspense } from 'react'
import { LazyEditor } from '../../editor/lazy-editor.ts'
import { useQuery } from '../../lib/page/navigate.ts'
import { onDemand } from '../../lib/page/on-demand.tsx'
import { useFrameActions } from '../frame/frame-actions.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Busy } from '../frame/tools.tsx'
import { usePrefetch } from '../frame/use-prefetch.ts'
import { MAX_TEXT_BYTES } from './use-text.ts'

const BigText = onDemand(async () => (await import('./big-text.tsx')).BigText)
const SharedText = onDemand(async () => (await import('./shared-text.tsx')).SharedText)

export function TextViewer(props: ViewerProps) {
  if (props.source.kind === 'files') return <OwnText {...props} />
  const Reader = props.entry.size > MAX_TEXT_BYTES ? BigText : SharedText
  return (
    <Suspense fallback={<Busy />}>
      <Reader {...props} />
    </Suspense>
  )
}

const alone: ViewerProps['siblings'] = []

function OwnText(props: ViewerProps) {
  const { source, entry, siblings, navigate, openAs, close } = props
  const { t } = useLingui()
  const asked = useQuery().get('view') === 'text'
  // Deleting leads back to the folder: the next file is not a text one asked to edit.
  const actions = useFrameActions({ ...props, siblings: alone })
  const at = siblings.findIndex(({ path }) => path === entry.path)
  const previous = siblings[at - 1]
  const next = at < 0 ? undefined : siblings[at + 1]
  usePrefetch(source, [next, previous])
  return (
    <Suspense fallback={<div className="ed-splash center" role="status" aria-label={t`Loading`} />}>
      <LazyEditor
        source={source}
        entry={entry}
        actions={actions}
        anyway={asked}
        onBytes={() => openAs('hex')}
        previous={previous && (() => navigate(previous))}
        next={next && (() => navigate(next))}
        close={close}
      />
    </Suspense>
  )
}
