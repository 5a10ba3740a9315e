import { type RefObject, useLayoutEffect, useState } from 'react'

export interface Size {
  width: number
  height: number
}

/** The content size of an element in CSS px, kept up to date; 0 × 0 before the first layout. */
export function useSize(ref: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [ref])
  return size
}
