import { useEffect, useEffectEvent } from 'react'

/** Key presses anywhere on the page; `capture` hears them before what has the focus does. */
export function useDocumentKeys(handle: (event: KeyboardEvent) => void, capture = false): void {
  const latest = useEffectEvent(handle)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => latest(event)
    document.addEventListener('keydown', listener, capture)
    return () => document.removeEventListener('keydown', listener, capture)
  }, [capture])
}
