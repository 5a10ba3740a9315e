// What can be done with the file in the frame, each only with its permission.

import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { matchesShortcut, shownKeys } from '../actions/shortcut.ts'
import type { FrameAction } from './frame.tsx'
import type { ViewerProps } from './source.ts'

export function useFrameActions(props: Omit<ViewerProps, 'setFacts'>): FrameAction[] {
  const { source, entry } = props
  const { t } = useLingui()
  return useMemo(() => {
    const actions: FrameAction[] = []
    if (source.permissions.download) {
      actions.push({
        id: 'download',
        label: t`Download`,
        icon: Download,
        shortcut: shownKeys('Mod+S'),
        matches: (event) => matchesShortcut(event, 'Mod+S'),
        run: () => source.download(entry),
      })
    }
    return actions
  }, [source, entry, t])
}
