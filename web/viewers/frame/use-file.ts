// What a viewer reads of its file: a text, a table, the inside of an archive.

import { useEffect, useEffectEvent, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import type { FileSource } from './source.ts'

export type FileRead<T> =
  | { state: 'loading' }
  | { state: 'ready'; value: T }
  | { state: 'failed'; error: unknown }

const LOADING = { state: 'loading' } as const

/**
 * Calls `read` once for each version of the file. The signal aborts when the viewer closes or another
 * version comes: until then `read` may keep what has to be released.
 */
export function useFile<T>(
  source: FileSource,
  entry: FileEntry,
  read: (signal: AbortSignal) => Promise<T>,
): FileRead<T> {
  return useRead([source, `${entry.path} ${entry.modified} ${entry.size}`], read)
}

/** The same for anything else: `read` is called once for each change of one of up to three things. */
export function useRead<T>(
  about: readonly unknown[],
  read: (signal: AbortSignal) => Promise<T>,
): FileRead<T> {
  const [last, setLast] = useState<{ about: readonly unknown[]; result: FileRead<T> }>()
  const start = useEffectEvent(read)
  useEffect(() => {
    const abort = new AbortController()
    const end = (result: FileRead<T>) => {
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
