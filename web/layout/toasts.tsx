// The messages at the bottom, newest on top. A popover, so that they also show above a dialog.

import { Trans, useLingui } from '@lingui/react/macro'
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { boot } from '../lib/boot.ts'
import { dismissToast, followToast, type Toast, takeToast, toasts } from '../operations/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'

const icons = { ok: CircleCheck, info: Info, bad: CircleAlert }

export function ToastHost() {
  const { t } = useLingui()
  const { list } = useSnapshot(toasts)
  const ref = useRef<HTMLElement>(null)
  const newest = list[0]?.id

  // Shown anew with every toast: the top layer is ordered by when a thing was shown.
  useEffect(() => {
    const host = ref.current
    if (!host) return
    host.hidePopover()
    if (newest !== undefined) host.showPopover()
  }, [newest])

  return (
    <section ref={ref} className="toasts stack" popover="manual" aria-label={t`Notifications`}>
      {list.map((toast) => (
        <ToastCard key={toast.id} toast={toast as Toast} />
      ))}
    </section>
  )
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
        <Button size="sm" onClick={() => takeToast(toast.id)}>
          {toast.action.label}
        </Button>
      )}
      {report && !toast.action && (
        <Button size="sm" onClick={() => window.open(boot.HelpURL, '_blank', 'noreferrer')}>
          <Trans>Report a problem</Trans>
        </Button>
      )}
      <IconButton size="sm" icon={X} label={t`Dismiss`} onClick={() => dismissToast(toast.id)} />
    </div>
  )
}
