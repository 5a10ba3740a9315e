// One chapter of a book in a shadow root of its own, shown where the reader was.

import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef } from 'react'
import { ApiError } from '../../api/client.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { ZipError } from '../archive/zip-reader.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Message } from '../frame/tools.tsx'
import { focusQuietly } from '../frame/viewer-keys.ts'
import type { PackageFile } from '../office/package-file.ts'
import { clickedHref, paperSheet, showInShadow } from '../office/paper.ts'
import type { Book } from './epub-book.ts'
import { type Chapter, INSIDE, loadChapter } from './epub-chapter.ts'
import { keepPlace } from './epub-place.ts'
import type { ReaderPrefs } from './epub-prefs.ts'

export interface OpenedBook {
  file: PackageFile
  book: Book
}

export interface Place {
  chapter: number
  /** How far down: 0 to 1, or the id to show. */
  at: number | string
}

interface ChapterPageProps extends OpenedBook, Pick<ViewerProps, 'source' | 'entry'> {
  place: Place
  prefs: ReaderPrefs
  scroller: React.RefObject<HTMLDivElement | null>
  onFollow(href: string): void
  onScrolled(ratio: number): void
}

export function ChapterPage(props: ChapterPageProps) {
  const { source, entry, file, book, place, prefs, scroller, onFollow, onScrolled } = props
  const host = useRef<HTMLDivElement>(null)
  const { t } = useLingui()
  const read = useRead([file, book, place.chapter], async (signal): Promise<Chapter> => {
    const loaded = await loadChapter(file, book, place.chapter)
    if (signal.aborted) loaded.release()
    else signal.addEventListener('abort', loaded.release)
    return loaded
  })
  const chapter = read.state === 'ready' ? read.value : null

  useEffect(() => {
    if (!host.current || !chapter) return
    const sheets = [...chapter.sheets, paperSheet(prefs.theme, prefs.size)]
    showInShadow(host.current, chapter.content, sheets)
  }, [chapter, prefs])

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the chapter is in place
  useEffect(() => {
    const view = scroller.current
    if (!view || !host.current || !chapter) return
    focusQuietly(view)
    return keepPlace(view, host.current, place.at, onScrolled)
  }, [chapter, place])

  function onClick(event: React.MouseEvent) {
    const href = clickedHref(event)
    if (!href.startsWith(INSIDE)) return
    event.preventDefault()
    event.stopPropagation()
    onFollow(href)
  }

  if (read.state === 'failed') {
    const { error } = read
    if (error instanceof ApiError || (error instanceof ZipError && error.reason === 'too_large')) {
      return (
        <Message
          source={source}
          entry={entry}
          error={error}
          title={t`This document can’t be shown`}
        >
          <Trans>It is too large to be read in the browser.</Trans>
        </Message>
      )
    }
    return (
      <p className="vw-side-empty dim">
        <Trans>This chapter is damaged and can’t be shown.</Trans>
      </p>
    )
  }
  // biome-ignore lint/a11y/useKeyWithClickEvents: links inside are keyboard-operable by themselves
  // biome-ignore lint/a11y/noStaticElementInteractions: only catches clicks on links inside
  return <div className="vw-book-page" ref={host} onClick={onClick} />
}
