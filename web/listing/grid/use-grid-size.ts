import { type RefObject, useLayoutEffect, useState } from 'react'

export interface Size {
  /** Width inside the padding, in px; 0 before the first layout. */
  widthPx: number
  heightPx: number
  remPx: number
}

export function useGridSize(target: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ widthPx: 0, heightPx: 0, remPx: 16 })
  useLayoutEffect(() => {
    const element = target.current
    if (element === null) return
    const measure = () => {
      // What the scroll bar takes is taken off the padding, so that the columns end where others do.
      element.style.setProperty('--gutter', `${element.offsetWidth - element.clientWidth}px`)
      const style = getComputedStyle(element)
      const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight)
      const next = {
        widthPx: element.clientWidth - padding,
        heightPx: element.clientHeight,
        remPx: Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16,
      }
      setSize((old) =>
        old.widthPx === next.widthPx && old.heightPx === next.heightPx && old.remPx === next.remPx
          ? old
          : next,
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [target])
  return size
}
