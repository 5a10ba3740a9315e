// How long a film is, on its tile.

import { useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { fetchLength } from '../../api/files.ts'
import { formatDuration } from '../../lib/format.ts'
import { putNewest } from '../../lib/newest.ts'
import { queueThumbnail } from './thumbnail-queue.ts'

const MAX_REMEMBERED = 1_000
const known = new Map<string, number | null>()

export function FilmLength({ entry }: { entry: FileEntry }) {
  const { path, modified } = entry
  const key = `${path} ${modified}`
  const [asked, setAsked] = useState({ key, seconds: known.get(key) ?? null })

  useEffect(() => {
    if (known.has(key)) return
    const left = new AbortController()
    const done = queueThumbnail(key, 'length', async () => {
      try {
        const seconds = await fetchLength(path, left.signal)
        putNewest(known, key, seconds, MAX_REMEMBERED)
        setAsked({ key, seconds })
        done('loaded')
      } catch {
        done('failed')
      }
    })
    return () => {
      done('cancelled')
      left.abort()
    }
  }, [key, path])

  const seconds = asked.key === key ? asked.seconds : (known.get(key) ?? null)
  if (seconds === null) return null
  return (
    <span
      className="film-length num fs-sm strong"
      // Drawn by the style sheet: it is no part of the name of the tile.
      data-length={formatDuration(seconds)}
      aria-hidden
    />
  )
}
