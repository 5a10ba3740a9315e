import { useEffect, useState } from 'react'

/**
 * What is worked out when somebody asks for it, such as a checksum; `value` is null until then. Leaving
 * the page ends the work; `onError` hears of its other failures.
 */
export function useAsked<T>(
  work: (signal: AbortSignal) => Promise<T>,
  onError: (error: unknown) => void,
) {
  const [value, setValue] = useState<T | null>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  useEffect(() => () => running?.abort(), [running])

  async function ask() {
    const own = new AbortController()
    setRunning(own)
    try {
      setValue(await work(own.signal))
    } catch (error) {
      if (!own.signal.aborted) onError(error)
    } finally {
      if (!own.signal.aborted) setRunning(null)
    }
  }
  return { value, busy: running !== null, ask: () => void ask() }
}
