// What a card of a folder says of its content, asked for when the card is in sight. Thumbnails and these wait in
// one line, so that the server has no more to do at a time.

import { useEffect, useLayoutEffect } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { type FolderSummary, fetchSummary } from '../../api/files.ts'
import { putNewest } from '../../lib/newest.ts'
import { queueThumbnail } from './thumbnail-queue.ts'

const MAX_REMEMBERED = 1_000
const known = new Map<string, FolderSummary>()

interface SummaryOfProps {
  entry: FileEntry
  /** Null: it cannot be had. */
  onKnown(summary: FolderSummary | null): void
}

/** Draws nothing: the card does. */
export function SummaryOf({ entry, onKnown }: SummaryOfProps) {
  const { path, modified } = entry
  // Whatever comes or goes in a folder changes its time.
  const key = `${path} ${modified}`

  useLayoutEffect(() => {
    const summary = known.get(key)
    if (summary !== undefined) onKnown(summary)
  }, [key, onKnown])

  useEffect(() => {
    if (known.has(key)) return
    const left = new AbortController()
    const done = queueThumbnail(key, 'folder', async () => {
      try {
        const summary = await fetchSummary(path, left.signal)
        putNewest(known, key, summary, MAX_REMEMBERED)
        onKnown(summary)
        done('loaded')
      } catch {
        if (!left.signal.aborted) onKnown(null)
        done('failed')
      }
    })
    return () => {
      done('cancelled')
      left.abort()
    }
  }, [key, path, onKnown])

  return null
}
