// The edge of a column, by which it is made wider.

import { useRef } from 'react'

interface ColumnEdgeProps {
  /** How wide the column is. */
  px: number
  onResize(px: number): void
}

export function ColumnEdge({ px, onResize }: ColumnEdgeProps) {
  /** Where it was taken hold of, and how wide the column was. */
  const from = useRef<{ x: number; px: number } | null>(null)
  return (
    <span
      className="csv-edge"
      aria-hidden
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = { x: event.clientX, px }
      }}
      onPointerMove={(event) => {
        if (from.current === null) return
        // Sheets run from left to right in every language.
        const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
        onResize(from.current.px + (event.clientX - from.current.x) * (isRtl ? -1 : 1))
      }}
      onLostPointerCapture={() => {
        from.current = null
      }}
    />
  )
}
