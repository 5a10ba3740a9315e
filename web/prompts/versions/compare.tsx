// What an earlier version of a text had otherwise: its lines stand among those of the file as it is now.

import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import type { VersionItem } from '../../../src/keep-types.ts'
import { messageOf } from '../../api/error-text.ts'
import { readFileBytes } from '../../api/text-files.ts'
import { readVersion } from '../../api/versions.ts'
import { cspNonce } from '../../editor/code/setup.ts'
import { editorWords } from '../../editor/code/words.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { decodeText } from '../../text/decode.ts'
import { Spinner } from '../../ui/progress.tsx'

/** Longer texts would be compared for too long. */
const MAX_BYTES = 10 * 1024 * 1024
const DIFF = { scanLimit: 2000, timeout: 1500 }

export function Compare({ path, version }: { path: string; version: VersionItem }) {
  const read = useRead([path, version.id], async (signal) => {
    const [now, before] = await Promise.all([
      readFileBytes(path, MAX_BYTES, signal),
      readVersion(path, version.id, MAX_BYTES, signal),
    ])
    return { now: decodeText(now.bytes).text, before: decodeText(before).text }
  })
  if (read.state === 'loading') return <Spinner large />
  if (read.state === 'failed') return <p className="err">{messageOf(read.error)}</p>
  const { now, before } = read.value
  return <Lines now={now} before={before} />
}

function Lines({ now, before }: { now: string; before: string }) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const label = t`Compare`
  useEffect(() => {
    if (box.current === null) return
    const view = new EditorView({
      parent: box.current,
      doc: now,
      extensions: [
        cspNonce(),
        EditorState.phrases.of(editorWords()),
        lineNumbers(),
        EditorView.lineWrapping,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          collapseUnchanged: { margin: 3, minSize: 6 },
          diffConfig: DIFF,
        }),
      ],
    })
    return () => view.destroy()
  }, [now, before, label])
  return <div className="versions__diff" ref={box} dir="ltr" />
}
