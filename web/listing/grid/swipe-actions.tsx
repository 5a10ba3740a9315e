// The two buttons that a swiped row uncovers. They lie where the row was.

import { useLingui } from '@lingui/react/macro'
import { useLayoutEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { currentContext } from '../../operations/commands/context.ts'
import { actionOf, runAction } from '../../operations/commands/registry.ts'
import { permissions } from '../../state/session.ts'
import { closeSwipe, swipe } from './row-swipe.ts'

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
  const can = permissions()
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
