import { useEffect, useEffectEvent, useState } from 'react'

export type Read<T> =
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  | { state: 'failed'; error: unknown }

const LOADING = { state: 'loading' } as const

/**
 * Calls `read` once for each change of one of up to three things. The signal aborts when the part is left
 * or one of them changes: until then `read` may keep what has to be released.
 */
export function useRead<T>(
  about: readonly unknown[],
  read: (signal: AbortSignal) => Promise<T>,
): Read<T> {
  const [last, setLast] = useState<{ about: readonly unknown[]; result: Read<T> }>()
  const start = useEffectEvent(read)
  useEffect(() => {
    const abort = new AbortController()
    const end = (result: Read<T>) => {
      if (!abort.signal.aborted) setLast({ about, result })
    }
    start(abort.signal).then(
      (value) => end({ state: 'ready', value }),
      (error: unknown) => end({ state: 'failed', error }),
    )
    return () => abort.abort()
  }, [about[0], about[1], about[2]])
  return last?.about.every((part, index) => part === about[index]) ? last.result : LOADING
}
