// The dark frame around every viewer: who the file is, what can be done with it, its neighbours.
// It knows no kind of file; the viewer inside reports its facts and takes keys before the frame.

import { Trans, useLingui } from '@lingui/react/macro'
import {
  ArrowLeft,
  ChevronLeft,
  ChevronRight,
  EllipsisVertical,
  type LucideIcon,
  Maximize,
  Minimize,
} from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import type { FileEntry, FileInfo } from '../../../src/api-types.ts'
import { formatSize } from '../../lib/format.ts'
import { keyLetter } from '../../lib/key-letter.ts'
import { isQuickLook } from '../../lib/page/quick-look.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useDocumentKeys } from '../../lib/page/use-document-keys.ts'
import { IconButton } from '../../ui/button.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { Boundary } from './boundary.tsx'
import { Film } from './film.tsx'
import { viewers } from './index.ts'
import type { FileSource, ViewerKind } from './source.ts'
import { useSwipe } from './swipe.ts'
import textStyles from './text-viewers.css?url'
import { Busy, Message } from './tools.tsx'
import { usePrefetch } from './use-prefetch.ts'
import { keysAreTaken, offerKey, stepOf } from './viewer-keys.ts'
import styles from './viewers.css?url'

await Promise.all([loadStylesheet(styles), loadStylesheet(textStyles)])

/** Chrome fades after this much stillness, in full screen only. */
const IDLE_MS = 1500
/** In these, page keys, Home and End belong to the document, also while it is loading. */
const documents: ReadonlySet<ViewerKind> = new Set([
  ...(['pdf', 'epub', 'document', 'sheet', 'csv', 'markdown', 'json'] as const),
  ...(['font', 'archive', 'text', 'hex'] as const),
])
/** In these, Space plays and pauses, however they were opened. */
const players: ReadonlySet<ViewerKind> = new Set(['video', 'audio'])
/** The one action that stays beside the menu on narrow screens. */
const NARROW_ACTION = 'download'

export interface FrameAction {
  id: string
  label: string
  icon: LucideIcon
  /** As shown in tooltips and menus. */
  shortcut?: string
  danger?: boolean
  /** Tells whether a key event means this action. */
  matches?(event: KeyboardEvent): boolean
  run(): void
}

export interface FrameProps {
  source: FileSource
  entry: FileInfo
  kind: ViewerKind
  /** Files to turn to, the shown one among them; empty while being fetched. */
  siblings: readonly FileEntry[]
  actions: readonly FrameAction[]
  navigate(entry: FileEntry): void
  close(): void
  openAs(kind: ViewerKind): void
}

export function ViewerFrame(props: FrameProps) {
  const { source, entry, kind, siblings, actions, navigate, close, openAs } = props
  const { t } = useLingui()
  const root = useRef<HTMLDivElement>(null)
  const [facts, setFacts] = useState('')
  const [fullScreen, toggleFullScreen] = useFullScreen()
  const still = useStillness(fullScreen)

  const at = siblings.findIndex((sibling) => sibling.path === entry.path)
  const previous = siblings[at - 1]
  const next = at < 0 ? undefined : siblings[at + 1]
  usePrefetch(source, [next, previous])
  const rtl = document.documentElement.dir === 'rtl'
  const swipe = useSwipe({
    turn: (direction) => {
      const target = (direction === 1) !== rtl ? next : previous
      if (target) navigate(target)
    },
    close,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: facts belong to one file
  useEffect(() => setFacts(''), [entry.path])
  useEffect(() => root.current?.focus({ preventScroll: true }), [])

  useDocumentKeys((event) => {
    if (keysAreTaken(event)) return
    const ends = { previous, next, first: siblings[0], last: siblings.at(-1) }
    const used =
      endQuickLook(event) ||
      offerKey(event) ||
      turnByKey(event, ends, !documents.has(kind), navigate) ||
      commandByKey(event)
    if (used) {
      event.preventDefault()
      event.stopPropagation()
    }
  })

  /** Space closes what Space opened, before pictures and papers have a use for it. */
  function endQuickLook(event: KeyboardEvent): boolean {
    const plain = event.key === ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
    if (!plain || event.shiftKey || players.has(kind) || !isQuickLook()) return false
    if (isOnControl(event)) return false
    // Held down since it opened the file, it neither closes it nor starts a slideshow.
    if (!event.repeat) close()
    return true
  }

  function commandByKey(event: KeyboardEvent): boolean {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey
    if (event.key === 'Escape' && plain) {
      close()
      return true
    }
    // Held down since it opened the file, it would run through the folder.
    if (event.key === 'Enter' && plain && !event.shiftKey && !event.repeat && !isOnControl(event)) {
      if (next) navigate(next)
      return next !== undefined
    }
    if (plain && keyLetter(event) === 'F') {
      toggleFullScreen()
      return true
    }
    const action = actions.find((candidate) => candidate.matches?.(event))
    action?.run()
    return action !== undefined
  }

  const position = at >= 0 && siblings.length > 1 ? t`${at + 1} of ${siblings.length}` : ''
  const line = [position, facts, formatSize(entry.size)].filter((part) => part !== '')
  const Viewer = viewers[kind]
  const quiet = fullScreen && still

  return (
    <div
      className="vw"
      id="previewer"
      ref={root}
      role="dialog"
      aria-modal="true"
      aria-label={entry.name}
      tabIndex={-1}
      data-quiet={quiet}
      data-kind={kind}
      data-film={siblings.length > 1}
    >
      {/* Tab goes round inside: what lies behind the frame cannot be seen. */}
      <Turnstile onFocus={() => focusEdge(root.current, 'last')} />
      <header className="vw-head">
        <IconButton
          icon={ArrowLeft}
          flipIcon
          label={t`Back to folder`}
          shortcut="Esc"
          onClick={close}
        />
        <div className="vw-title">
          <h1>
            <bdi>{entry.name}</bdi>
          </h1>
          <p>
            {line.map((part, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and no state
              <span key={n}>{n === 0 ? part : ` · ${part}`}</span>
            ))}
          </p>
        </div>
        <Actions actions={actions} />
        {document.fullscreenEnabled && (
          <>
            <span className="vw-gap" aria-hidden="true" />
            <IconButton
              icon={fullScreen ? Minimize : Maximize}
              label={fullScreen ? t`Leave full screen` : t`Full screen`}
              shortcut="F"
              onClick={toggleFullScreen}
            />
          </>
        )}
      </header>

      <main className="vw-stage" {...swipe.handlers}>
        <div
          className="vw-content"
          data-moving={swipe.offset.x !== 0 || swipe.offset.y !== 0}
          style={{ translate: `${swipe.offset.x}px ${swipe.offset.y}px` }}
        >
          {!source.permissions.download ? (
            <Message source={source} entry={entry} title={t`You can’t look inside this file`}>
              <Trans>
                Your account may list files here, but not see or download their content.
              </Trans>
            </Message>
          ) : (
            <Boundary key={kind} source={source} entry={entry}>
              <Suspense fallback={<Busy />}>
                <Viewer
                  // Pictures stay mounted, so that a slideshow and the full screen go on.
                  key={kind === 'image' ? kind : entry.path}
                  source={source}
                  entry={entry}
                  siblings={siblings}
                  navigate={navigate}
                  close={close}
                  setFacts={setFacts}
                  openAs={openAs}
                />
              </Suspense>
            </Boundary>
          )}
        </div>
        {previous && (
          <IconButton
            className="vw-nav vw-nav-previous"
            icon={ChevronLeft}
            flipIcon
            label={t`Previous file`}
            onClick={() => navigate(previous)}
          />
        )}
        {next && (
          <IconButton
            className="vw-nav vw-nav-next"
            icon={ChevronRight}
            flipIcon
            label={t`Next file`}
            onClick={() => navigate(next)}
          />
        )}
      </main>

      {siblings.length > 1 && (
        <Film source={source} entry={entry} siblings={siblings} navigate={navigate} />
      )}
      <Turnstile onFocus={() => focusEdge(root.current, 'first')} />
    </div>
  )
}

function Turnstile({ onFocus }: { onFocus(): void }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only passes the focus on
  // biome-ignore lint/a11y/noStaticElementInteractions: as above
  return <span className="sr" tabIndex={0} onFocus={onFocus} />
}

/** Enter and Space belong to the button, link or table with the focus. */
function isOnControl({ target }: KeyboardEvent): boolean {
  const controls = 'button, a[href], summary, input, [role=grid], [role=tree]'
  return target instanceof Element && target.closest(controls) !== null
}

function focusEdge(frame: HTMLElement | null, edge: 'first' | 'last') {
  const all = frame?.querySelectorAll<HTMLElement>(
    ':is(button, input, a[href], [tabindex="0"]):not(.sr, :disabled)',
  )
  const visible = [...(all ?? [])].filter((element) => element.checkVisibility())
  visible.at(edge === 'first' ? 0 : -1)?.focus()
}

/** All actions side by side where there is room, otherwise the last ones in a menu. */
function Actions({ actions }: { actions: readonly FrameAction[] }) {
  const { t } = useLingui()
  const spare = actions.filter(({ id }) => id !== NARROW_ACTION)
  return (
    <div className="vw-actions">
      {actions.map((action) => (
        <IconButton
          key={action.id}
          className={action.id === NARROW_ACTION ? '' : 'vw-spare'}
          icon={action.icon}
          label={action.label}
          shortcut={action.shortcut}
          onClick={action.run}
        />
      ))}
      {spare.length > 0 && (
        <MenuButton
          label={t`More actions`}
          items={() =>
            spare.map(({ id, icon, label, shortcut, danger, run }) => ({
              id,
              icon,
              label,
              shortcut,
              danger: danger === true,
              onSelect: run,
            }))
          }
        >
          {(trigger) => (
            <IconButton
              {...trigger}
              className="vw-more"
              icon={EllipsisVertical}
              label={t`More actions`}
            />
          )}
        </MenuButton>
      )}
    </div>
  )
}

interface Neighbours {
  previous: FileEntry | undefined
  next: FileEntry | undefined
  first: FileEntry | undefined
  last: FileEntry | undefined
}

function turnByKey(
  event: KeyboardEvent,
  to: Neighbours,
  byPage: boolean,
  navigate: (entry: FileEntry) => void,
) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
  const step = stepOf(event)
  const pages: Record<string, FileEntry | undefined> = {
    PageDown: to.next,
    PageUp: to.previous,
    Home: to.first,
    End: to.last,
  }
  const target = step === 1 ? to.next : step === -1 ? to.previous : byPage && pages[event.key]
  if (!target) return false
  navigate(target)
  return true
}

function useFullScreen(): [boolean, () => void] {
  const [on, setOn] = useState(document.fullscreenElement !== null)
  useEffect(() => {
    const update = () => setOn(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', update)
    return () => {
      document.removeEventListener('fullscreenchange', update)
      // Refused when nothing is in full screen any more, which is what is wanted.
      if (document.fullscreenElement) document.exitFullscreen().catch(() => {})
    }
  }, [])
  function toggle() {
    // The whole page, not the frame alone: dialogs and toasts must stay visible above it.
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : document.documentElement.requestFullscreen()
    // A browser without full screen, or a page that may not use it: nothing to do about it.
    change.catch(() => {})
  }
  return [on, toggle]
}

function useStillness(enabled: boolean): boolean {
  const [still, setStill] = useState(false)
  useEffect(() => {
    if (!enabled) return setStill(false)
    let timer: ReturnType<typeof setTimeout> | undefined
    function wake() {
      clearTimeout(timer)
      setStill(false)
      timer = setTimeout(() => setStill(true), IDLE_MS)
    }
    wake()
    const events = ['pointermove', 'pointerdown', 'keydown', 'focusin'] as const
    for (const name of events) document.addEventListener(name, wake)
    return () => {
      clearTimeout(timer)
      for (const name of events) document.removeEventListener(name, wake)
    }
  }, [enabled])
  return still
}
