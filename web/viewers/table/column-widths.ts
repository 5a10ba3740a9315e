import { type RefObject, useLayoutEffect, useMemo, useState } from 'react'

const CHAR_PX = 7.6
const CELL_PADDING_PX = 24
const LEAST_PX = 48
/** Where there is room, columns become so much wider than what was looked at of them. */
const MOST_WIDENED = 1.6

/** So wide is each column, in px, where `roomPx` are left for all of them. */
export function columnWidths(chars: readonly number[], roomPx: number): number[] {
  const natural = chars.map((count) => Math.round(count * CHAR_PX + CELL_PADDING_PX))
  const sum = natural.reduce((all, px) => all + px, 0)
  if (sum === 0 || sum >= roomPx) return natural
  const factor = Math.min(MOST_WIDENED, roomPx / sum)
  return natural.map((px) => Math.floor(px * factor))
}

interface Widths {
  widths: readonly number[]
  /** Gives a column a width of its own, or makes it wider by `byPx`. */
  resize(column: number, to: { px: number } | { byPx: number }): void
}

/** Widths of the columns of a table, until other columns are shown. */
export function useColumnWidths(
  box: RefObject<HTMLElement | null>,
  chars: readonly number[],
  takenPx: number,
): Widths {
  const [roomPx, setRoomPx] = useState(0)
  const [own, setOwn] = useState({ chars, px: new Map<number, number>() })
  if (own.chars !== chars) setOwn({ chars, px: new Map() })

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const measure = () => setRoomPx(element.clientWidth - takenPx)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, takenPx])

  const given = useMemo(() => columnWidths(chars, roomPx), [chars, roomPx])
  const widths = useMemo(() => given.map((px, column) => own.px.get(column) ?? px), [given, own.px])
  return {
    widths,
    resize(column, to) {
      const px = 'px' in to ? to.px : (widths[column] ?? 0) + to.byPx
      setOwn({ chars, px: new Map(own.px).set(column, Math.max(LEAST_PX, Math.round(px))) })
    },
  }
}
