// Loading what a page shows, with a way to try again.

import { useEffect, useState } from 'react'
import { ApiError, isAbort } from '../api/client.ts'
import { whenOnline } from '../lib/page/network.ts'

export interface Loaded<T> {
  data: T | null
  error: unknown
  /** Loads again; what is shown stays until the answer is there. */
  reload: () => void
}

/** Calls `load` at first and whenever `key` changes; aborts when the page is left. */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [turn, setTurn] = useState(0)
  const [result, setResult] = useState<{ key: string; data: T | null; error: unknown }>({
    key,
    data: null,
    error: null,
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` is new in every render; `key` names what it loads
  useEffect(() => {
    const abort = new AbortController()
    load(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setResult({ key, data, error: null })
      },
      (error: unknown) => {
        if (isAbort(error) || abort.signal.aborted) return
        setResult((before) => ({ key, data: before.data, error }))
        if (error instanceof ApiError && error.isNetwork) {
          void whenOnline().then(() => {
            if (!abort.signal.aborted) setTurn((before) => before + 1)
          })
        }
      },
    )
    return () => abort.abort()
  }, [key, turn])

  const current = result.key === key ? result : { data: null, error: null }
  return { data: current.data, error: current.error, reload: () => setTurn((before) => before + 1) }
}
