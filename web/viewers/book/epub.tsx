// Books: one chapter at a time, in the reader's size and colours. Scripts of a book never run.

import { Trans, useLingui } from '@lingui/react/macro'
import { AArrowDown, AArrowUp, ChevronLeft, ChevronRight, List, Palette } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import partsStyles from '../frame/parts.css?url'
import { recallPosition, rememberPosition } from '../frame/positions.ts'
import type { ViewerProps } from '../frame/source.ts'
import { useSwipe } from '../frame/swipe.ts'
import { Busy, Message, Tool, ToolGap, ToolRow } from '../frame/tools.tsx'
import { useViewerKeys } from '../frame/viewer-keys.ts'
import { openPackage } from '../office/package-file.ts'
import paperStyles from '../office/paper.css?url'
import type { PaperTheme } from '../office/paper.ts'
import { type Book, readBook } from './epub-book.ts'
import { INSIDE } from './epub-chapter.ts'
import { ChapterPage, type OpenedBook, type Place } from './epub-page.tsx'
import { loadPrefs, type ReaderPrefs, SIZES, savePrefs } from './epub-prefs.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(paperStyles)])

/** How much of the width a tap on either side turns the page in. */
const SIDE_SHARE = 0.25

export function EpubViewer(props: ViewerProps) {
  const { source, entry } = props
  const { t } = useLingui()
  const [opened, setOpened] = useState<OpenedBook | { error: unknown } | null>(null)

  useEffect(() => {
    const abort = new AbortController()
    setOpened(null)
    openPackage(source, entry, abort.signal)
      .then(async (file) => ({ file, book: await readBook(file) }))
      .then(
        (result) => {
          if (!abort.signal.aborted) setOpened(result)
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setOpened({ error })
        },
      )
    return () => abort.abort()
  }, [source, entry])

  if (opened && 'error' in opened) {
    const { error } = opened
    return (
      <Message source={source} entry={entry} error={error} title={t`This book can’t be opened`}>
        <Trans>The file is damaged or is not a book.</Trans>
      </Message>
    )
  }
  return opened ? <Reader {...props} {...opened} /> : <Busy />
}

function Reader({ source, entry, setFacts, file, book }: ViewerProps & OpenedBook) {
  const { t } = useLingui()
  const [prefs, setPrefs] = useState(loadPrefs)
  const [tocShown, setTocShown] = useState(false)
  const [place, setPlace] = useState<Place>(() => parsePlace(recallPosition(source, entry), book))
  const scroller = useRef<HTMLDivElement>(null)
  const last = book.spine.length - 1

  useEffect(() => {
    setFacts([book.title, book.author].filter(Boolean).join(' · '))
  }, [book, setFacts])

  function change(next: Partial<ReaderPrefs>) {
    const merged = { ...prefs, ...next }
    setPrefs(merged)
    savePrefs(merged)
  }
  function resize(step: 1 | -1) {
    const size = SIZES[SIZES.indexOf(prefs.size) + step]
    if (size) change({ size })
  }
  function turn(step: 1 | -1) {
    const chapter = place.chapter + step
    if (chapter >= 0 && chapter <= last) setPlace({ chapter, at: step === 1 ? 0 : 1 })
  }
  /** One screen on; at the end of the chapter to the next one. */
  function page(step: 1 | -1) {
    const view = scroller.current
    if (!view) return
    const room =
      step === 1 ? view.scrollHeight - view.clientHeight - view.scrollTop : view.scrollTop
    if (room < 4) turn(step)
    else view.scrollBy({ top: step * (view.clientHeight - 48), behavior: 'smooth' })
  }
  const swipe = useSwipe({
    turn: (direction) => page(book.rightToLeft === (direction === -1) ? 1 : -1),
    close() {},
  })
  /** On touch screens the sides of the page turn it, as in a book in the hand. */
  function onTap(event: React.MouseEvent<HTMLElement>) {
    const { nativeEvent, clientX, currentTarget } = event
    if (!(nativeEvent instanceof PointerEvent) || nativeEvent.pointerType !== 'touch') return
    if (nativeEvent.composedPath().some(isControl) || getSelection()?.isCollapsed === false) return
    const box = currentTarget.getBoundingClientRect()
    const at = (clientX - box.left) / box.width
    if (at < SIDE_SHARE) page(book.rightToLeft ? 1 : -1)
    else if (at > 1 - SIDE_SHARE) page(book.rightToLeft ? -1 : 1)
  }
  function follow(href: string) {
    const [chapter = '', ...fragment] = href.slice(INSIDE.length).split(':')
    setPlace({ chapter: Number(chapter), at: fragment.join(':') || 0 })
  }

  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    const forward = book.rightToLeft ? 'ArrowLeft' : 'ArrowRight'
    const back = book.rightToLeft ? 'ArrowRight' : 'ArrowLeft'
    switch (event.key) {
      case forward:
      case 'PageDown':
        page(1)
        return true
      case back:
      case 'PageUp':
        page(-1)
        return true
      case ' ':
        page(event.shiftKey ? -1 : 1)
        return true
      case 'ArrowDown':
      case 'ArrowUp':
        scroller.current?.scrollBy({ top: event.key === 'ArrowDown' ? 60 : -60 })
        return true
      case 'Home':
      case 'End':
        setPlace({ chapter: event.key === 'Home' ? 0 : last, at: event.key === 'Home' ? 0 : 1 })
        return true
      case '+':
      case '=':
        resize(1)
        return true
      case '-':
        resize(-1)
        return true
      default:
        return false
    }
  })

  const themes: [PaperTheme, string][] = [
    ['light', t`Light`],
    ['sepia', t`Sepia`],
    ['dark', t`Dark`],
  ]
  return (
    <>
      <ToolRow label={t`Book`}>
        <Tool
          icon={List}
          label={t`Contents`}
          pressed={tocShown}
          onClick={() => setTocShown(!tocShown)}
        />
        <ToolGap />
        <Tool
          icon={ChevronLeft}
          flipIcon
          label={t`Previous chapter`}
          disabled={place.chapter === 0}
          onClick={() => turn(-1)}
        />
        <span className="vw-count">{t`${place.chapter + 1} of ${book.spine.length}`}</span>
        <Tool
          icon={ChevronRight}
          flipIcon
          label={t`Next chapter`}
          disabled={place.chapter === last}
          onClick={() => turn(1)}
        />
        <ToolGap />
        <Tool
          icon={AArrowDown}
          label={t`Smaller text`}
          disabled={prefs.size === SIZES[0]}
          onClick={() => resize(-1)}
        />
        <output className="vw-percent" aria-label={t`Text size`}>{t`${prefs.size}%`}</output>
        <Tool
          icon={AArrowUp}
          label={t`Larger text`}
          disabled={prefs.size === SIZES.at(-1)}
          onClick={() => resize(1)}
        />
        <MenuButton
          label={t`Colours`}
          items={() =>
            themes.map(([id, label]) => ({
              id,
              label,
              checked: prefs.theme === id,
              onSelect: () => change({ theme: id }),
            }))
          }
        >
          {(trigger) => <IconButton {...trigger} size="sm" icon={Palette} label={t`Colours`} />}
        </MenuButton>
      </ToolRow>
      <div className="vw-book" data-theme={prefs.theme}>
        {tocShown && (
          <nav className="vw-side" aria-label={t`Contents`} data-gestures="own">
            <ul>
              {book.toc.map((item, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: contents have no identity
                <li key={index}>
                  <button
                    type="button"
                    disabled={item.chapter < 0}
                    aria-current={item.chapter === place.chapter}
                    style={{ paddingInlineStart: `${0.75 + item.depth * 0.9}rem` }}
                    onClick={() => {
                      setPlace({ chapter: item.chapter, at: item.fragment || 0 })
                      if (innerWidth < 736) setTocShown(false)
                    }}
                  >
                    {item.title || t`Chapter ${item.chapter + 1}`}
                  </button>
                </li>
              ))}
            </ul>
          </nav>
        )}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the viewer turn pages, too */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a tap on its side is one way of several */}
        <div
          className="vw-book-scroll"
          ref={scroller}
          {...swipe.handlers}
          onPointerDown={(event) => {
            // To the frame a swipe would mean the next file.
            event.stopPropagation()
            swipe.handlers.onPointerDown(event)
          }}
          onClick={onTap}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
          tabIndex={0}
          lang={book.language || undefined}
        >
          <ChapterPage
            source={source}
            entry={entry}
            file={file}
            book={book}
            place={place}
            prefs={prefs}
            scroller={scroller}
            onFollow={follow}
            onScrolled={(ratio) =>
              rememberPosition(source, entry, `${place.chapter}:${ratio.toFixed(4)}`)
            }
          />
          {place.chapter < last && (
            <div className="vw-book-next">
              <Button tone="line" endIcon={ChevronRight} onClick={() => turn(1)}>
                <Trans>Next chapter</Trans>
              </Button>
            </div>
          )}
        </div>
      </div>
    </>
  )
}

function isControl(node: EventTarget): boolean {
  return node instanceof HTMLAnchorElement || node instanceof HTMLButtonElement
}

function parsePlace(stored: number | string | null, book: Book): Place {
  const [chapter = 0, at = 0] = String(stored ?? '0:0')
    .split(':')
    .map(Number)
  return chapter >= 0 && chapter < book.spine.length ? { chapter, at } : { chapter: 0, at: 0 }
}
