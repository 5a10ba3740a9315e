// A value that somebody is typing, once they pause.

import { useEffect, useState } from 'react'

const PAUSE_MS = 300

/** `value` as it was when it last stayed the same for a moment. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
