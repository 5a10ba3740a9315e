// The dark frame around every viewer: who the file is, what can be done with it, its neighbours.
// It knows no kind of file; the viewer inside reports its facts and takes keys before the frame.

import { Trans, useLingui } from '@lingui/react/macro'
import {
  ArrowLeft,
  ChevronLeft,
  ChevronRight,
  EllipsisVertical,
  Expand,
  Shrink,
} from 'lucide-react'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { formatNumber, formatSize } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { shownKeys } from '../../operations/commands/shortcut.ts'
import { IconButton } from '../../ui/button.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { Boundary } from './boundary.tsx'
import { Film } from './film.tsx'
import { useFrameKeys } from './frame-keys.ts'
import { viewers } from './index.ts'
import type { FrameAction, ViewerKind, ViewerProps } from './source.ts'
import { useSwipe } from './swipe.ts'
import textStyles from './text-viewers.css?url'
import { Busy, Message } from './tools.tsx'
import { usePrefetch } from './use-prefetch.ts'
import styles from './viewers.css?url'

await Promise.all([loadStylesheet(styles), loadStylesheet(textStyles)])

/** Chrome fades after this much stillness: in full screen, over a film that plays and in a slideshow. */
const IDLE_MS = 1500
/** What fills the whole stage: buttons over it would cover a part of it. */
const FILLING: ReadonlySet<ViewerKind> = new Set(['csv', 'json', 'hex', 'text'])
/** The one action that stays beside the menu on narrow screens. */
const NARROW_ACTION = 'download'

export interface FrameProps extends Omit<ViewerProps, 'setFacts'> {
  kind: ViewerKind
  actions: readonly FrameAction[]
}

export function ViewerFrame(props: FrameProps) {
  const { source, entry, kind, siblings, actions, navigate, close } = props
  const { t } = useLingui()
  const root = useRef<HTMLDivElement>(null)
  const [facts, setFacts] = useState('')
  const [fullScreen, toggleFullScreen] = useFullScreen()
  const still = useStillness(fullScreen || kind === 'video' || kind === 'image')

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
  // The next file may take the button away that had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each file
  useEffect(() => {
    if (!root.current?.contains(document.activeElement))
      root.current?.focus({ preventScroll: true })
  }, [entry.path])

  useFrameKeys({ ...props, previous, next, toggleFullScreen })

  const position =
    at >= 0 && siblings.length > 1
      ? t`${formatNumber(at + 1)} of ${formatNumber(siblings.length)}`
      : ''
  const line = [position, facts, formatSize(entry.size)].filter((part) => part !== '')
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
      data-still={still}
      data-kind={kind}
      data-film={siblings.length > 1}
    >
      {/* Tab goes round inside: what lies behind the frame cannot be seen. */}
      <Turnstile onFocus={() => focusEdge(root.current, 'last')} />
      <Head
        name={entry.name}
        facts={line}
        actions={actions}
        close={close}
        fullScreen={fullScreen}
        toggleFullScreen={toggleFullScreen}
      >
        {FILLING.has(kind) && (
          <TurnButtons inHead previous={previous} next={next} navigate={navigate} />
        )}
      </Head>

      <div className="vw-stage relative" {...swipe.handlers}>
        <div
          className="vw-content col covers"
          data-moving={swipe.offset.x !== 0 || swipe.offset.y !== 0}
          style={{ translate: `${swipe.offset.x}px ${swipe.offset.y}px` }}
        >
          <Content {...props} setFacts={setFacts} />
        </div>
        {!FILLING.has(kind) && <TurnButtons previous={previous} next={next} navigate={navigate} />}
      </div>

      {siblings.length > 1 && (
        <Film source={source} entry={entry} siblings={siblings} navigate={navigate} />
      )}
      <Turnstile onFocus={() => focusEdge(root.current, 'first')} />
    </div>
  )
}

function Content(props: FrameProps & Pick<ViewerProps, 'setFacts'>) {
  const { t } = useLingui()
  const { source, entry, kind } = props
  const Viewer = viewers[kind]
  if (!source.permissions.download) {
    return (
      <Message source={source} entry={entry} title={t`You can’t view this file`}>
        <Trans>You can see file names here, but you can’t open or download files.</Trans>
      </Message>
    )
  }
  return (
    <Boundary key={kind} source={source} entry={entry}>
      <Suspense fallback={<Busy />}>
        <Viewer
          // Pictures stay mounted, so that a slideshow and the full screen go on.
          key={kind === 'image' ? kind : entry.path}
          {...props}
        />
      </Suspense>
    </Boundary>
  )
}

interface HeadProps {
  name: string
  facts: readonly string[]
  actions: readonly FrameAction[]
  close(): void
  fullScreen: boolean
  toggleFullScreen(): void
  /** Stands before the actions. */
  children: ReactNode
}

function Head({ name, facts, actions, close, fullScreen, toggleFullScreen, children }: HeadProps) {
  const { t } = useLingui()
  return (
    <div className="vw-head row">
      <IconButton
        icon={ArrowLeft}
        flipIcon
        label={t`Back to folder`}
        shortcut={shownKeys('Escape')}
        onClick={close}
      />
      <div className="vw-title grow">
        <h1>
          <bdi className="trunc">{name}</bdi>
        </h1>
        <p className="num">
          {facts.map((part, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: they have no other name, and no state
            <span key={n}>{n === 0 ? part : ` · ${part}`}</span>
          ))}
        </p>
      </div>
      {children}
      <Actions actions={actions} />
      {document.fullscreenEnabled && (
        <>
          <span className="vw-gap" aria-hidden="true" />
          <IconButton
            icon={fullScreen ? Shrink : Expand}
            label={fullScreen ? t`Leave full screen` : t`Full screen`}
            shortcut="F"
            onClick={toggleFullScreen}
          />
        </>
      )}
    </div>
  )
}

interface TurnButtonsProps {
  inHead?: boolean
  previous: FileEntry | undefined
  next: FileEntry | undefined
  navigate(entry: FileEntry): void
}

function TurnButtons({ inHead = false, previous, next, navigate }: TurnButtonsProps) {
  const { t } = useLingui()
  const turns = [
    { to: previous, side: 'previous', icon: ChevronLeft, label: t`Previous file` },
    { to: next, side: 'next', icon: ChevronRight, label: t`Next file` },
  ]
  return turns.map(
    ({ to, side, icon, label }) =>
      to && (
        <IconButton
          key={side}
          className={inHead ? 'not-phone' : `vw-nav vw-nav-${side}`}
          icon={icon}
          flipIcon
          label={label}
          onClick={() => navigate(to)}
        />
      ),
  )
}

function Turnstile({ onFocus }: { onFocus(): void }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: only passes the focus on
  // biome-ignore lint/a11y/noStaticElementInteractions: as above
  return <span className="sr" tabIndex={0} onFocus={onFocus} />
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
  const shown = actions.filter(({ byKeysOnly }) => byKeysOnly !== true)
  const spare = shown.filter(({ id }) => id !== NARROW_ACTION)
  return (
    <div className="vw-actions row">
      {shown.map((action) => (
        <IconButton
          key={action.id}
          className={action.id === NARROW_ACTION ? '' : 'not-phone'}
          icon={action.icon}
          label={action.label}
          shortcut={action.shortcut}
          onClick={action.onSelect}
        />
      ))}
      {spare.length > 0 && (
        <MenuButton label={t`More actions`} items={() => spare}>
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
    const ended = new AbortController()
    const { signal } = ended
    for (const name of ['pointermove', 'pointerdown', 'keydown'] as const) {
      document.addEventListener(name, wake, { signal })
    }
    const onFocus = ({ target }: FocusEvent) => {
      // The next slide gets the focus by itself: nobody has moved.
      if (target instanceof Element && target.matches(':focus-visible')) wake()
    }
    document.addEventListener('focusin', onFocus, { signal })
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [enabled])
  return still
}
