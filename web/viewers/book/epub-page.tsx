// One chapter of a book in a shadow root of its own, shown where the reader was.

import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { ZipError } from '../archive/zip-reader.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Message } from '../frame/tools.tsx'
import { focusQuietly } from '../frame/viewer-keys.ts'
import type { PackageFile } from '../office/package-file.ts'
import { paperSheet } from '../office/paper.ts'
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

type Loaded = Chapter | { error: unknown }

export function ChapterPage({
  source,
  entry,
  file,
  book,
  place,
  prefs,
  scroller,
  onFollow,
  onScrolled,
}: ChapterPageProps) {
  const host = useRef<HTMLDivElement>(null)
  const { t } = useLingui()
  const [chapter, setChapter] = useState<{ index: number; loaded: Loaded } | null>(null)

  useEffect(() => {
    let current = true
    let made: Chapter | null = null
    loadChapter(file, book, place.chapter).then(
      (loaded) => {
        made = loaded
        if (current) setChapter({ index: place.chapter, loaded })
        else loaded.release()
      },
      (error: unknown) => {
        if (current) setChapter({ index: place.chapter, loaded: { error } })
      },
    )
    return () => {
      current = false
      made?.release()
    }
  }, [file, book, place.chapter])

  useEffect(() => {
    const element = host.current
    const loaded = chapter?.loaded
    if (!element || !loaded || 'error' in loaded) return
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
    if (loaded.content.hasChildNodes()) {
      const box = document.createElement('div')
      box.className = 'document'
      box.append(loaded.content)
      root.replaceChildren(box)
    }
    root.adoptedStyleSheets = [...loaded.sheets, paperSheet(prefs.theme, prefs.size)]
  }, [chapter, prefs])

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the chapter is in place
  useEffect(() => {
    const view = scroller.current
    if (!view || !host.current || chapter?.index !== place.chapter) return
    focusQuietly(view)
    return keepPlace(view, host.current, place.at, onScrolled)
  }, [chapter, place])

  function onClick(event: React.MouseEvent) {
    // Inside the shadow root the event's target is its host; the path still knows the link.
    const link = event.nativeEvent.composedPath().find((node) => node instanceof HTMLAnchorElement)
    const href = link instanceof HTMLAnchorElement ? (link.getAttribute('href') ?? '') : ''
    if (!href.startsWith(INSIDE)) return
    event.preventDefault()
    event.stopPropagation()
    onFollow(href)
  }

  if (chapter && 'error' in chapter.loaded) {
    const { error } = chapter.loaded
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
      <p className="vw-side-empty">
        <Trans>This chapter is damaged and can’t be shown.</Trans>
      </p>
    )
  }
  // biome-ignore lint/a11y/useKeyWithClickEvents: links inside are keyboard-operable by themselves
  // biome-ignore lint/a11y/noStaticElementInteractions: only catches clicks on links inside
  return <div className="vw-book-page" ref={host} onClick={onClick} />
}
