// Swiping a row sideways: towards the start it reveals Delete and Share, towards the end it selects.
// Nothing happens without a further tap, except that the row is selected.

import { useLingui } from '@lingui/react/macro'
import { useLayoutEffect, useState } from 'react'
import { proxy, ref, useSnapshot } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { currentContext } from '../../operations/commands/context.ts'
import { actionOf, runAction } from '../../operations/commands/registry.ts'
import { setShown } from '../../state/listing.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { startSelectionMode } from '../../state/selection.ts'
import styles from './row-swipe.css?url'

await loadStylesheet(styles)

/** Two buttons of 72 px. */
const REVEALED_PX = 144
const SELECT_PX = 64

export const swipe = proxy({
  open: null as { entry: FileEntry; row: HTMLElement } | null,
})

let moving: HTMLElement | null = null

function shift(row: HTMLElement, px: number) {
  row.style.setProperty('--swipe', `${px}px`)
  row.classList.toggle('is-swiped', px !== 0)
}

/** `px` towards the end of the line; negative towards its start. */
export function moveSwipe(row: HTMLElement, px: number): void {
  if (moving !== null && moving !== row) shift(moving, 0)
  moving = row
  row.classList.add('is-swiping')
  shift(row, Math.max(-REVEALED_PX * 1.2, Math.min(px, SELECT_PX * 1.4)))
}

export function endSwipe(row: HTMLElement, entry: FileEntry, px: number): void {
  row.classList.remove('is-swiping')
  if (px >= SELECT_PX) {
    shift(row, 0)
    startSelectionMode(entry.path)
    setShown({ focus: entry.path })
  } else if (px <= -REVEALED_PX / 2) {
    shift(row, -REVEALED_PX)
    swipe.open = ref({ entry, row })
  } else shift(row, 0)
  if (swipe.open === null) moving = null
}

export function closeSwipe(): void {
  if (moving !== null) shift(moving, 0)
  moving = null
  swipe.open = null
}

export function SwipeActions() {
  const { i18n } = useLingui()
  const { open } = useSnapshot(swipe)
  const [topPx, setTopPx] = useState(0)
  const row = (open?.row ?? null) as HTMLElement | null
  useLayoutEffect(() => {
    const body = row?.closest('.body')
    if (row === null || body == null) return
    setTopPx(row.getBoundingClientRect().top - body.getBoundingClientRect().top)
    const scroller = document.getElementById('listing')
    scroller?.addEventListener('scroll', closeSwipe, { once: true })
    return () => scroller?.removeEventListener('scroll', closeSwipe)
  }, [row])
  if (open === null || row === null) return null
  const entry = open.entry as FileEntry
  const can = abilitiesOn(entry.path)
  const ids = [
    ...(can.share && can.download ? (['share'] as const) : []),
    ...(can.delete ? (['delete'] as const) : []),
  ]
  return (
    <div className="swipe-acts" style={{ insetBlockStart: topPx }}>
      {ids.map((id) => {
        const action = actionOf(id)
        return (
          <button
            key={id}
            type="button"
            className={
              action.danger ? 'swipe-acts__item is-danger stack' : 'swipe-acts__item stack'
            }
            onClick={() => {
              closeSwipe()
              runAction(id, { ...currentContext(), selected: [entry], focused: entry })
            }}
          >
            <action.icon className="i" aria-hidden />
            <span>{i18n._(action.label)}</span>
          </button>
        )
      })}
    </div>
  )
}
