// A file in the frame over whatever page shows it, for sources without pages of their own.

import { useLingui } from '@lingui/react/macro'
import { Download } from 'lucide-react'
import { useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import type { FileEntry } from '../../../src/api-types.ts'
import { closeOnBack } from '../../lib/page/back.ts'
import { ViewerFrame } from './frame.tsx'
import { kindOf } from './kinds.ts'
import type { FileSource, ViewerKind } from './source.ts'

export interface OpenFile {
  entry: FileEntry
  /** Another viewer than the usual one, such as plain text. */
  as?: ViewerKind
}

interface OverlayProps {
  source: FileSource
  file: OpenFile
  onChange: (file: OpenFile | null) => void
}

export function FileOverlay({ source, file, onChange }: OverlayProps) {
  const { t } = useLingui()
  const [siblings, setSiblings] = useState<FileEntry[]>([])
  const { entry, as } = file

  useEffect(() => {
    const controller = new AbortController()
    source.siblings(entry, controller.signal).then(setSiblings, () => {
      // Alone then: the file itself can still be shown.
    })
    return () => controller.abort()
  }, [source, entry])

  const close = useEffectEvent(() => onChange(null))
  useLayoutEffect(() => closeOnBack(close), [])

  useEffect(() => {
    const opener = document.activeElement
    document.documentElement.classList.add('no-scroll')
    return () => {
      document.documentElement.classList.remove('no-scroll')
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true })
    }
  }, [])

  return createPortal(
    <ViewerFrame
      source={source}
      entry={entry}
      kind={as ?? kindOf(entry)}
      siblings={siblings}
      actions={[
        {
          id: 'download',
          label: t`Download`,
          icon: Download,
          onSelect: () => source.download(entry),
        },
      ]}
      navigate={(next) => onChange({ entry: next })}
      close={() => onChange(null)}
      openAs={(kind) => onChange({ entry, as: kind })}
    />,
    document.body,
  )
}
