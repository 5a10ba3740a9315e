// One chapter of a book in a shadow root of its own, shown where the reader was.

import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { ApiError } from '../../api/client.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { ZipError } from '../archive/zip-reader.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Message } from '../frame/tools.tsx'
import { focusQuietly } from '../frame/viewer-keys.ts'
import type { PackageFile } from '../office/package-file.ts'
import { clickedHref, paperSheet, showInShadow } from '../office/paper.ts'
import { ID_PREFIX } from '../office/safe-html.ts'
import type { Book } from './epub-book.ts'
import { type Chapter, INSIDE, loadChapter } from './epub-chapter.ts'
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
  /** Is told which chapter is on the page, or could not be read. */
  shown: React.RefObject<number>
  onFollow(href: string): void
  onScrolled(ratio: number): void
}

export function ChapterPage(props: ChapterPageProps) {
  const { source, entry, file, book, place, prefs, scroller, shown, onFollow, onScrolled } = props
  const host = useRef<HTMLDivElement>(null)
  const { t } = useLingui()
  const read = useRead([file, book, place.chapter], async (signal): Promise<Chapter> => {
    const loaded = await loadChapter(file, book, place.chapter)
    if (signal.aborted) loaded.release()
    else signal.addEventListener('abort', loaded.release)
    return loaded
  })
  const chapter = read.state === 'ready' ? read.value : null
  const isRead = read.state !== 'loading'

  useLayoutEffect(() => {
    if (isRead) shown.current = place.chapter
  }, [isRead, place.chapter, shown])

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
          <Trans>This file is too large to open in the browser.</Trans>
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

/** The browser rounds what it is told to scroll to. */
const ROUNDING_PX = 2
/** Where to look for the first thing in sight, from the upper edge; between blocks there is nothing. */
const PROBES_PX = [4, 20, 40, 70, 110]

interface Kept {
  element: Element
  /** How much of the element is above the upper edge, as a share of its height. */
  share: number
}

/**
 * Goes to `at` (0 to 1, or an id of the chapter) and stays there while the chapter takes its shape;
 * later what is being read stays in sight. `view` scrolls, `page` holds the chapter in its shadow
 * root. `onMoved` is told the share scrolled. The result ends it.
 */
function keepPlace(
  view: HTMLElement,
  page: HTMLElement,
  at: number | string,
  onMoved: (ratio: number) => void,
): () => void {
  const root = page.shadowRoot
  let settled = false
  let ended = false
  let target = 0
  let kept: Kept | null = null

  const room = () => view.scrollHeight - view.clientHeight
  const ratio = () => (room() > 0 ? Math.min(1, Math.max(0, view.scrollTop / room())) : 0)

  function go() {
    if (typeof at === 'number') view.scrollTop = at * room()
    else {
      const found = root?.getElementById(ID_PREFIX + at)
      if (found) found.scrollIntoView()
      else view.scrollTop = 0
    }
    target = view.scrollTop
  }

  function hold() {
    const box = view.getBoundingClientRect()
    kept = null
    for (const probe of PROBES_PX) {
      const element = root?.elementFromPoint(box.left + box.width / 2, box.top + probe)
      if (!element || element.classList.contains('document') || !root?.contains(element)) continue
      const { top, height } = element.getBoundingClientRect()
      kept = { element, share: height > 0 ? (box.top - top) / height : 0 }
      return
    }
  }

  function settle() {
    settled = true
    hold()
  }

  function onScroll() {
    if (!settled && Math.abs(view.scrollTop - target) <= ROUNDING_PX) return
    settle()
    onMoved(ratio())
  }

  function onResize() {
    if (!settled) return go()
    if (!kept?.element.isConnected) return
    const { top, height } = kept.element.getBoundingClientRect()
    view.scrollTop += top + kept.share * height - view.getBoundingClientRect().top
  }

  go()
  onMoved(typeof at === 'number' ? at : ratio())
  const observer = new ResizeObserver(onResize)
  observer.observe(page)
  view.addEventListener('scroll', onScroll, { passive: true })
  const pictures = [...(root?.querySelectorAll('img') ?? [])]
  void Promise.allSettled(pictures.map((picture) => picture.decode())).then(() => {
    if (ended || settled) return
    go()
    settle()
    onMoved(ratio())
  })
  return () => {
    ended = true
    observer.disconnect()
    view.removeEventListener('scroll', onScroll)
  }
}
