// Books: one chapter at a time, in the reader's size and colours. Scripts of a book never run.

import { Trans, useLingui } from '@lingui/react/macro'
import { AArrowDown, AArrowUp, ChevronLeft, ChevronRight, List, Palette } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { Button } from '../../ui/button.tsx'
import { ChoiceMenu } from '../../ui/menu.tsx'
import partsStyles from '../frame/parts.css?url'
import { recallPosition, rememberPosition } from '../frame/positions.ts'
import type { ViewerProps } from '../frame/source.ts'
import { useSwipe } from '../frame/swipe.ts'
import { Tool, ToolGap, ToolRow, Unready } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
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

/** Browsers take about so long to scroll to another page. */
const SCROLL_MS = 500

export function EpubViewer(props: ViewerProps) {
  const { source, entry } = props
  const { t } = useLingui()
  const read = useFile(source, entry, async (signal): Promise<OpenedBook> => {
    const file = await openPackage(source, entry, signal)
    return { file, book: await readBook(file) }
  })
  if (read.state === 'ready') return <Reader {...props} {...read.value} />
  return (
    <Unready title={t`This book can’t be opened`} {...{ source, entry, read }}>
      <Trans>The file is damaged or isn’t a book.</Trans>
    </Unready>
  )
}

function Reader({ source, entry, setFacts, file, book }: ViewerProps & OpenedBook) {
  const { t } = useLingui()
  const type = useTypeface()
  const [tocShown, setTocShown] = useState(false)
  const scroller = useRef<HTMLDivElement>(null)
  const reading = useReading(scroller, book, () => parsePlace(recallPosition(source, entry), book))
  const { place, goTo, turn, page } = reading
  const last = book.spine.length - 1

  useEffect(() => {
    setFacts([book.title, book.author].filter(Boolean).join(' · '))
  }, [book, setFacts])

  const swipe = useSwipe({
    turn: (direction) => page(book.rightToLeft === (direction === -1) ? 1 : -1),
    close() {},
  })
  useBookKeys(book, reading, type.resize)

  return (
    <>
      <ToolRow label={t`Book`}>
        <Tool
          icon={List}
          label={t`Table of contents`}
          pressed={tocShown}
          onClick={() => setTocShown(!tocShown)}
        />
        <ToolGap />
        <ChapterTools place={place} book={book} turn={turn} />
        <ToolGap />
        <TypeTools type={type} />
      </ToolRow>
      <div className="vw-book vw-part" data-theme={type.prefs.theme}>
        {tocShown && (
          <Contents
            book={book}
            chapter={place.chapter}
            onGo={(to) => {
              goTo(to)
              if (innerWidth < 736) setTocShown(false)
            }}
          />
        )}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys of the viewer turn pages, too */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: a tap on its side is one way of several */}
        <div
          className="vw-book-scroll vw-scroll shrinks"
          ref={scroller}
          {...swipe.handlers}
          onPointerDown={(event) => {
            // To the frame a swipe would mean the next file.
            event.stopPropagation()
            swipe.handlers.onPointerDown(event)
          }}
          onClick={(event) => {
            const side = tappedSide(event)
            if (side !== 0) page(book.rightToLeft === (side === -1) ? 1 : -1)
          }}
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
            prefs={type.prefs}
            scroller={scroller}
            shown={reading.shown}
            onFollow={reading.follow}
            onScrolled={(ratio) =>
              rememberPosition(source, entry, `${place.chapter}:${ratio.toFixed(4)}`)
            }
          />
          {place.chapter < last && (
            <div className="vw-book-next center">
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

type Reading = ReturnType<typeof useReading>
type Typeface = ReturnType<typeof useTypeface>

function useReading(scroller: RefObject<HTMLElement | null>, book: Book, first: () => Place) {
  const [place, setPlace] = useState<Place>(first)
  /** Which chapter is on the page: the one before while another is read. */
  const shown = useRef(-1)
  /** Where the page turned last leads to, which takes a moment. */
  const goal = useRef({ topPx: 0, untilMs: 0 })
  const last = book.spine.length - 1

  function turn(step: 1 | -1) {
    const chapter = place.chapter + step
    if (chapter >= 0 && chapter <= last) goTo({ chapter, at: step === 1 ? 0 : 1 })
  }
  /** One screen on; at the end of the chapter to the next one. */
  function page(step: 1 | -1) {
    const view = scroller.current
    // What is still there belongs to the chapter that is left.
    if (!view || shown.current !== place.chapter) return
    const nowMs = performance.now()
    const topPx = nowMs < goal.current.untilMs ? goal.current.topPx : view.scrollTop
    const mostPx = view.scrollHeight - view.clientHeight
    const roomPx = step === 1 ? mostPx - topPx : topPx
    if (roomPx < 4) return turn(step)
    const toPx = Math.min(mostPx, Math.max(0, topPx + step * (view.clientHeight - 48)))
    goal.current = { topPx: toPx, untilMs: nowMs + SCROLL_MS }
    view.scrollTo({ top: toPx, behavior: 'smooth' })
  }
  function follow(href: string) {
    const [chapter = '', ...fragment] = href.slice(INSIDE.length).split(':')
    goTo({ chapter: Number(chapter), at: fragment.join(':') || 0 })
  }
  function goTo(to: Place) {
    goal.current.untilMs = 0
    setPlace(to)
  }
  function scroll(byPx: number) {
    goal.current.untilMs = 0
    scroller.current?.scrollBy({ top: byPx })
  }
  return { place, goTo, shown, turn, page, scroll, follow }
}

function useTypeface() {
  const [prefs, setPrefs] = useState(loadPrefs)
  function change(next: Partial<ReaderPrefs>) {
    const merged = { ...prefs, ...next }
    setPrefs(merged)
    savePrefs(merged)
  }
  function resize(step: 1 | -1) {
    const size = SIZES[SIZES.indexOf(prefs.size) + step]
    if (size) change({ size })
  }
  return { prefs, change, resize }
}

function useBookKeys(book: Book, { page, goTo, scroll }: Reading, resize: (step: 1 | -1) => void) {
  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    const forward = book.rightToLeft ? -1 : 1
    const commands = new Map<string, () => void>([
      ['ArrowRight', () => page(forward)],
      ['ArrowLeft', () => page(forward === 1 ? -1 : 1)],
      ['PageDown', () => page(1)],
      ['PageUp', () => page(-1)],
      [' ', () => page(event.shiftKey ? -1 : 1)],
      ['ArrowDown', () => scroll(60)],
      ['ArrowUp', () => scroll(-60)],
      ['Home', () => goTo({ chapter: 0, at: 0 })],
      ['End', () => goTo({ chapter: book.spine.length - 1, at: 1 })],
      ['+', () => resize(1)],
      ['=', () => resize(1)],
      ['-', () => resize(-1)],
    ])
    const command = commands.get(event.key)
    command?.()
    return command !== undefined
  })
}

/** The side of the page that a finger tapped, as in a book in the hand: -1 left, 1 right. */
function tappedSide({ nativeEvent, clientX, currentTarget }: React.MouseEvent): -1 | 0 | 1 {
  if (!(nativeEvent instanceof PointerEvent) || nativeEvent.pointerType !== 'touch') return 0
  if (nativeEvent.composedPath().some(isControl) || getSelection()?.isCollapsed === false) return 0
  const box = currentTarget.getBoundingClientRect()
  const at = (clientX - box.left) / box.width
  return at < SIDE_SHARE ? -1 : at > 1 - SIDE_SHARE ? 1 : 0
}

interface ChapterToolsProps {
  place: Place
  book: Book
  turn(step: 1 | -1): void
}

function ChapterTools({ place, book, turn }: ChapterToolsProps) {
  const { t } = useLingui()
  return (
    <>
      <Tool
        icon={ChevronLeft}
        flipIcon
        label={t`Previous chapter`}
        disabled={place.chapter === 0}
        onClick={() => turn(-1)}
      />
      <span className="vw-count num fs-md mid">{t`${place.chapter + 1} of ${book.spine.length}`}</span>
      <Tool
        icon={ChevronRight}
        flipIcon
        label={t`Next chapter`}
        disabled={place.chapter === book.spine.length - 1}
        onClick={() => turn(1)}
      />
    </>
  )
}

function TypeTools({ type: { prefs, change, resize } }: { type: Typeface }) {
  const { t } = useLingui()
  const themes: { id: PaperTheme; label: string }[] = [
    { id: 'light', label: t`Light` },
    { id: 'sepia', label: t`Sepia` },
    { id: 'dark', label: t`Dark` },
  ]
  return (
    <>
      <Tool
        icon={AArrowDown}
        label={t`Smaller text`}
        disabled={prefs.size === SIZES[0]}
        onClick={() => resize(-1)}
      />
      <output
        className="vw-percent num nowrap fs-md"
        aria-label={t`Text size`}
      >{t`${prefs.size}%`}</output>
      <Tool
        icon={AArrowUp}
        label={t`Larger text`}
        disabled={prefs.size === SIZES.at(-1)}
        onClick={() => resize(1)}
      />
      <ChoiceMenu
        size="sm"
        icon={Palette}
        label={t`Colours`}
        choices={themes}
        chosen={prefs.theme}
        onChoose={(theme) => change({ theme })}
      />
    </>
  )
}

interface ContentsProps {
  book: Book
  chapter: number
  onGo(to: Place): void
}

function Contents({ book, chapter, onGo }: ContentsProps) {
  const { t } = useLingui()
  return (
    <nav className="vw-side rigid sunken" aria-label={t`Table of contents`} data-gestures="own">
      <ul>
        {book.toc.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: contents have no identity
          <li key={index}>
            <button
              type="button"
              className="vw-item mid"
              disabled={item.chapter < 0}
              aria-current={item.chapter === chapter}
              style={{ paddingInlineStart: `${0.75 + item.depth * 0.9}rem` }}
              onClick={() => onGo({ chapter: item.chapter, at: item.fragment || 0 })}
            >
              {item.title || t`Chapter ${item.chapter + 1}`}
            </button>
          </li>
        ))}
      </ul>
    </nav>
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
