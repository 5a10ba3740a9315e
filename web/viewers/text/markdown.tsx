// Rendered Markdown in the viewer frame, for shares and for reading.

import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { editsElsewhere } from '../frame/kinds.ts'
import type { ViewerProps } from '../frame/source.ts'
import { AsText, Message, ToolRow, Unready } from '../frame/tools.tsx'
import { focusQuietly, scrollByKey, useViewerKeys } from '../frame/viewer-keys.ts'
import { MarkdownView } from './markdown-view.tsx'
import { MAX_MARKDOWN_CHARS, useText } from './use-text.ts'

export function MarkdownViewer({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const page = useRef<HTMLElement>(null)
  const read = useText(source, entry)
  useEffect(() => {
    if (read.state === 'ready') focusQuietly(page.current)
  }, [read])
  useViewerKeys((event) => read.state === 'ready' && scrollByKey(event, page.current))
  if (read.state !== 'ready') {
    return <Unready title={t`Couldn’t show this document`} {...{ source, entry, read }} />
  }
  const asText = (
    <AsText openAs={openAs}>
      <Trans>Source</Trans>
    </AsText>
  )
  const { text } = read.value
  if (text.length > MAX_MARKDOWN_CHARS) {
    return (
      <Message title={t`This document is very long`} source={source} entry={entry} actions={asText}>
        <Trans>Showing it as text instead.</Trans>
      </Message>
    )
  }
  return (
    <>
      {!editsElsewhere(source, entry) && <ToolRow label={t`Document`}>{asText}</ToolRow>}
      <section
        className="md-page vw-scroll"
        ref={page}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        aria-label={entry.name}
        data-gestures="own"
      >
        <MarkdownView text={text} source={source} entry={entry} />
      </section>
    </>
  )
}
