import { type RefObject, useLayoutEffect, useState } from 'react'
import type { Size } from '../picture/zoom.ts'

/** The content size of an element in CSS px, kept up to date; 0 × 0 before the first layout. */
export function useSize(ref: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      setSize({ width: element.clientWidth, height: element.clientHeight })
    })
    observer.observe(element)
    setSize({ width: element.clientWidth, height: element.clientHeight })
    return () => observer.disconnect()
  }, [ref])
  return size
}
