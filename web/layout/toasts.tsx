// The messages at the bottom, newest on top. A popover inside of the dialog on top, so that they show above it and
// can be answered.

import { Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useSnapshot } from 'valtio'
import { boot } from '../lib/boot.ts'
import { giveFocusBack } from '../lib/page/focus.ts'
import { topModal } from '../lib/page/top-modal.ts'
import { dismissToast, followToast, type Toast, takeToast, toasts } from '../operations/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'

const icons = { ok: CircleCheck, info: Info, bad: CircleAlert }

export function ToastHost() {
  const { t } = useLingui()
  const { list } = useSnapshot(toasts)
  const ref = useRef<HTMLElement>(null)
  const newest = list[0]?.id
  const home = useTopModal(newest !== undefined)

  // Shown anew with every toast: the top layer is ordered by when a thing was shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it stands now, it was not shown yet
  useEffect(() => {
    const host = ref.current
    if (!host) return
    host.hidePopover()
    // A dialog that has just closed has taken it along; it comes back a moment later.
    if (newest !== undefined && host.isConnected) host.showPopover()
  }, [newest, home])

  return createPortal(
    <section ref={ref} className="toasts stack" popover="manual" aria-label={t`Notifications`}>
      {list.map((toast) => (
        <ToastCard key={toast.id} toast={toast as Toast} />
      ))}
    </section>,
    home,
  )
}

/** The dialog on top or the page, followed while there is something to show. */
function useTopModal(followed: boolean): Element {
  const [home, setHome] = useState(topModal)
  useLayoutEffect(() => {
    const look = () => setHome(topModal())
    look()
    if (!followed) return
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['open'] })
    return () => observer.disconnect()
  }, [followed])
  return home
}

/** Runs down while nobody points at it, has focus in it, or looks elsewhere; anew once Show was chosen. */
function useLife({ id, lifeMs, show }: Toast) {
  const ref = useRef<HTMLDivElement>(null)
  const leads = show !== null
  // biome-ignore lint/correctness/useExhaustiveDependencies: Show takes the focus along when it goes, which no event tells
  useEffect(() => {
    const card = ref.current
    if (!card || lifeMs === 0) return
    let leftMs = lifeMs
    let startedMs = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const pause = () => {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      leftMs -= performance.now() - startedMs
    }
    const resume = () => {
      const paused = card.matches(':hover, :focus-within') || document.hidden
      if (timer !== undefined || paused) return
      startedMs = performance.now()
      timer = setTimeout(() => dismissToast(id), Math.max(leftMs, 400))
    }
    const onVisible = () => (document.hidden ? pause() : resume())
    const ended = new AbortController()
    const { signal } = ended
    const events = { pointerenter: pause, pointerleave: resume, focusin: pause, focusout: resume }
    for (const [name, on] of Object.entries(events)) card.addEventListener(name, on, { signal })
    document.addEventListener('visibilitychange', onVisible, { signal })
    resume()
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [id, lifeMs, leads])
  return ref
}

function ToastCard({ toast }: { toast: Toast }) {
  const { t } = useLingui()
  const ref = useLife(toast)
  const Icon = icons[toast.tone]
  /** What it was tapped for is gone with it: the focus goes where people went on. */
  function end(how: (id: number) => void) {
    const hasFocus = ref.current?.contains(document.activeElement)
    how(toast.id)
    if (hasFocus) giveFocusBack(null)
  }
  const report = toast.report && boot.HelpURL !== '' && !boot.DisableExternal
  return (
    <div ref={ref} className={`toast row fs-md toast--${toast.tone}`}>
      <Icon className="i" aria-hidden />
      <span className="grow">{toast.text}</span>
      {toast.show && (
        <Button size="sm" onClick={() => followToast(toast.id)}>
          {toast.show.label}
        </Button>
      )}
      {toast.action && (
        <Button size="sm" onClick={() => end(takeToast)}>
          {toast.action.label}
        </Button>
      )}
      {report && !toast.action && (
        <Button size="sm" onClick={() => window.open(boot.HelpURL, '_blank', 'noreferrer')}>
          <Trans>Report a problem</Trans>
        </Button>
      )}
      <IconButton size="sm" icon={X} label={t`Dismiss`} onClick={() => end(dismissToast)} />
    </div>
  )
}
