// The part of the picture that stays is chosen here, over the fitted picture.

import { Trans, useLingui } from '@lingui/react/macro'
import { type PointerEvent, useRef, useState } from 'react'
import { formatDimensions, formatNumber } from '../../lib/format.ts'
import type { Size } from '../../lib/page/use-size.ts'
import { Button } from '../../ui/button.tsx'
import { Tools } from '../frame/tools.tsx'
import { useViewerKeys } from '../frame/viewer-keys.ts'
import { type Area, dragged, firstArea, type Grip, grips } from './crop-area.ts'
import { QUALITY_PERCENT } from './save-picture.ts'

/** Of the shorter side, for each press of an arrow. */
const STEP = 0.02

interface CropProps {
  /** Of the picture as it is shown, in its pixels. */
  size: Size
  /** Screen pixels for each of them. */
  scale: number
  isLossy: boolean
  cancel(): void
  /** Null without the right to it. */
  save: ((area: Area) => Promise<boolean>) | null
  saveCopy: ((area: Area) => Promise<boolean>) | null
}

export function Crop({ size, scale, isLossy, cancel, save, saveCopy }: CropProps) {
  const { t } = useLingui()
  const [area, setArea] = useState(() => firstArea(size))
  const [saving, setSaving] = useState(false)

  async function run(work: (area: Area) => Promise<boolean>) {
    setSaving(true)
    const done = await work(area)
    setSaving(false)
    if (done) cancel()
  }

  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    if (event.key === 'Escape') {
      cancel()
      return true
    }
    const step = arrows[event.key]
    if (!step) return false
    const px = Math.max(1, Math.round(Math.min(size.width, size.height) * STEP))
    const grip: Grip = event.shiftKey ? { x: 1, y: 1 } : { x: 0, y: 0 }
    setArea(dragged(area, grip, { x: step.x * px, y: step.y * px }, size))
    return true
  })

  const percent = formatNumber(QUALITY_PERCENT)
  const drag = useDrag(area, setArea, size, scale)
  const share = (part: number, of: number) => `${(part / of) * 100}%`
  return (
    <>
      <div
        className="vw-crop"
        dir="ltr"
        style={{ inlineSize: size.width * scale, blockSize: size.height * scale }}
      >
        <fieldset
          className="vw-crop-area"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows move it
          tabIndex={0}
          aria-label={t`Area to keep: arrow keys move it, with Shift they resize it`}
          style={{
            left: share(area.left, size.width),
            top: share(area.top, size.height),
            width: share(area.width, size.width),
            height: share(area.height, size.height),
          }}
          {...drag({ x: 0, y: 0 })}
        >
          {grips.map((grip) => (
            <span
              key={`${grip.x} ${grip.y}`}
              className="vw-crop-grip"
              data-x={grip.x}
              data-y={grip.y}
              {...drag(grip)}
            />
          ))}
        </fieldset>
      </div>
      <Tools label={t`Crop`}>
        <output className="vw-crop-size num nowrap fs-md">
          {formatDimensions({ width: area.width, height: area.height })}
          {isLossy && <small>{t`Quality: ${percent}%`}</small>}
        </output>
        <Button size="sm" onClick={cancel} disabled={saving}>
          <Trans>Cancel</Trans>
        </Button>
        {saveCopy !== null && (
          <Button size="sm" disabled={saving} onClick={() => void run(saveCopy)}>
            <Trans>Save a copy</Trans>
          </Button>
        )}
        {save !== null && (
          <Button size="sm" tone="fill" disabled={saving} onClick={() => void run(save)}>
            <Trans>Save</Trans>
          </Button>
        )}
      </Tools>
    </>
  )
}

const arrows: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/** Gives the handlers of a grip; one pointer at a time. */
function useDrag(area: Area, setArea: (area: Area) => void, size: Size, scale: number) {
  const start = useRef<{ pointer: number; x: number; y: number; grip: Grip; area: Area }>(null)
  const end = () => {
    start.current = null
  }
  return (grip: Grip) => ({
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || start.current !== null) return
      event.stopPropagation()
      event.currentTarget.setPointerCapture(event.pointerId)
      const { clientX: x, clientY: y, pointerId: pointer } = event
      start.current = { pointer, x, y, grip, area }
    },
    onPointerMove(event: PointerEvent) {
      const from = start.current
      if (from?.pointer !== event.pointerId) return
      event.stopPropagation()
      const by = { x: (event.clientX - from.x) / scale, y: (event.clientY - from.y) / scale }
      setArea(dragged(from.area, from.grip, by, size))
    },
    onPointerUp: end,
    onPointerCancel: end,
  })
}
