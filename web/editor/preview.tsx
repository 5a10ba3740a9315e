// The other side of a document: rendered Markdown that follows the typing, or JSON as a tree.

import { Trans, useLingui } from '@lingui/react/macro'
import { Suspense, useEffect, useRef, useState } from 'react'
import type { FileInfo } from '../../src/api-types.ts'
import { onDemand } from '../lib/page/on-demand.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { Spinner } from '../ui/progress.tsx'
import { Boundary } from '../viewers/frame/boundary.tsx'
import type { FileSource } from '../viewers/frame/source.ts'
import { MAX_MARKDOWN_CHARS } from '../viewers/text/use-text.ts'
import { currentText } from './current-file.ts'
import type { Rendering } from './header.tsx'

const MarkdownView = onDemand(
  async () => (await import('../viewers/text/markdown-view.tsx')).MarkdownView,
)
const JsonTree = onDemand(async () => (await import('../viewers/json/json-tree.tsx')).JsonTree)

/** Rendering waits for a pause at least this long, and longer where rendering itself takes long. */
const QUIET_MS = 120

/** Scrolling the source scrolls the preview by the same share; nothing flows the other way. */
export const previewScroll = {
  box: null as HTMLElement | null,
  follow(share: number) {
    const { box } = previewScroll
    if (box !== null) box.scrollTop = share * (box.scrollHeight - box.clientHeight)
  },
}

interface PreviewProps {
  rendering: Exclude<Rendering, null>
  source: FileSource
  entry: FileInfo
  textVersion: number
}

export function Preview({ rendering, source, entry, textVersion }: PreviewProps) {
  const { t } = useLingui()
  const text = useCalmText(textVersion)
  return (
    <section
      className={`ed-preview scrolls shrinks ed-preview--${rendering}`}
      aria-label={entry.name}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      ref={(box) => {
        previewScroll.box = box
      }}
    >
      <Suspense
        fallback={
          <div className="ed-wait center">
            <Spinner large />
          </div>
        }
      >
        {rendering === 'markdown' && text.length > MAX_MARKDOWN_CHARS ? (
          <EmptyState art="broken" title={t`This document is very long`}>
            <Trans>Showing it as text instead.</Trans>
          </EmptyState>
        ) : (
          // What cannot be shown must not take the text beside it along; typing on tries again.
          <Boundary
            source={source}
            entry={entry}
            resetKey={text}
            fallback={<EmptyState art="broken" title={t`Couldn’t show this document`} />}
          >
            {rendering === 'json' ? (
              <JsonTree text={text} />
            ) : (
              <MarkdownView text={text} source={source} entry={entry} />
            )}
          </Boundary>
        )}
      </Suspense>
    </section>
  )
}

/** The text after typing paused; a slow document is rendered less often. */
function useCalmText(textVersion: number): string {
  const [text, setText] = useState(currentText)
  const costMs = useRef(0)
  const startedMs = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the text
  useEffect(() => {
    const timer = setTimeout(
      () => {
        startedMs.current = performance.now()
        setText(currentText())
      },
      Math.max(QUIET_MS, costMs.current * 3),
    )
    return () => clearTimeout(timer)
  }, [textVersion])
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured after each rendering
  useEffect(() => {
    if (startedMs.current > 0) costMs.current = performance.now() - startedMs.current
  }, [text])
  return text
}
