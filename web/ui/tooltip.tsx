// One tooltip for the whole page. An element asks for it with `data-tip` (and `data-tip-keys` for
// its shortcut); there is nothing to wrap and no listener per element, so rows of a long list can
// have it, too. The text repeats the accessible name, so it is hidden from readers.

import { useEffect, useRef } from 'react'
import { placeTip } from './place.ts'

const DELAY_MS = 450
/** Within this time after one tooltip closed the next one opens at once. */
const WARM_MS = 300

export function TooltipLayer() {
  const ref = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const tip = ref.current
    if (!tip) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let owner: HTMLElement | null = null
    let closedAtMs = 0

    const hide = () => {
      clearTimeout(timer)
      owner = null
      if (!tip.matches(':popover-open')) return
      tip.hidePopover()
      closedAtMs = performance.now()
    }
    const show = (element: HTMLElement) => {
      const text = element.dataset.tip
      if (!text || !element.isConnected) return
      tip.textContent = text
      const keys = element.dataset.tipKeys
      if (keys) {
        const span = document.createElement('span')
        span.className = 'tip__keys'
        span.textContent = keys
        tip.append(span)
      }
      // Opened anew each time: a dialog or menu shown meanwhile must not lie above it.
      tip.hidePopover()
      tip.showPopover()
      placeTip(tip, element.getBoundingClientRect())
    }
    const ask = (event: Event) => {
      const target = event.target instanceof Element ? event.target : null
      const element = target?.closest<HTMLElement>('[data-tip]') ?? null
      if (element === owner) return
      hide()
      if (!element) return
      if (event.type === 'focusin' && !element.matches(':focus-visible')) return
      if (event instanceof PointerEvent && event.pointerType === 'touch') return
      owner = element
      const warm = performance.now() - closedAtMs < WARM_MS
      timer = setTimeout(() => show(element), warm ? 0 : DELAY_MS)
    }
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Shift') hide()
    }

    const ended = new AbortController()
    const { signal } = ended
    document.addEventListener('pointerover', ask, { signal })
    document.addEventListener('focusin', ask, { signal })
    document.addEventListener('focusout', hide, { signal })
    document.addEventListener('pointerdown', hide, { signal, capture: true })
    document.addEventListener('scroll', hide, { signal, capture: true })
    document.addEventListener('keydown', onKey, { signal, capture: true })
    return () => {
      hide()
      ended.abort()
    }
  }, [])

  return <div ref={ref} className="tip" popover="manual" role="tooltip" aria-hidden />
}
