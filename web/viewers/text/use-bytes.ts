// The bytes of a whole file for a viewer.

import { useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { isAbort } from '../../api/client.ts'
import type { FileSource } from '../frame/source.ts'

export type ReadBytes =
  | { state: 'loading' }
  | { state: 'ready'; bytes: ArrayBuffer }
  | { state: 'failed'; error: unknown }

/** Reads a version of the file once; longer ones fail with ApiError `too_large`. */
export function useBytes(source: FileSource, entry: FileEntry, maxBytes: number): ReadBytes {
  const [read, setRead] = useState<ReadBytes>({ state: 'loading' })
  const { path, modified, size } = entry
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same version is not read twice
  useEffect(() => {
    const abort = new AbortController()
    setRead({ state: 'loading' })
    source.readAll(entry, maxBytes, abort.signal).then(
      (bytes) => setRead({ state: 'ready', bytes }),
      (error) => {
        if (!isAbort(error) && !abort.signal.aborted) setRead({ state: 'failed', error })
      },
    )
    return () => abort.abort()
  }, [source, path, modified, size])
  return read
}
