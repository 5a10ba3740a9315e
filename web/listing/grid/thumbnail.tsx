// The picture of an entry, drawn when its turn comes.

import { memo, useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { previewUrl } from '../../api/files.ts'
import { boot } from '../../lib/boot.ts'
import { hasThumbnail } from '../../lib/previews.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { isThumbnailHopeless, isThumbnailLoaded, queueThumbnail } from './thumbnail-queue.ts'

function thumbnailUrl(entry: FileEntry): string | null {
  if (!boot.EnableThumbs || entry.isDir || !abilitiesOn(entry.path).download) return null
  return hasThumbnail(entry) ? previewUrl(entry, 'thumb') : null
}

interface ThumbnailProps {
  entry: FileEntry
  className: string
  /** Tells the card that a picture covers its icon. */
  onShown?: () => void
}

export const Thumbnail = memo(function Thumbnail({ entry, className, onShown }: ThumbnailProps) {
  const url = thumbnailUrl(entry)
  const { type: kind } = entry
  const [turn, setTurn] = useState<string | null>(null)
  const [shown, setShown] = useState<string | null>(null)
  const settle = useRef<ReturnType<typeof queueThumbnail> | null>(null)
  const hopeless = url === null || isThumbnailHopeless(url, kind)
  const known = url !== null && isThumbnailLoaded(url)

  useEffect(() => {
    if (url === null || hopeless || known) return
    const done = queueThumbnail(url, kind, () => setTurn(url))
    settle.current = done
    return () => done('cancelled')
  }, [url, kind, hopeless, known])

  if (hopeless || (!known && turn !== url)) return null
  const classes = [className, 'thumb']
  if (!known) classes.push(shown === url ? 'thumb--in' : 'thumb--out')
  return (
    <img
      className={classes.join(' ')}
      src={url}
      alt=""
      decoding="async"
      draggable={false}
      onLoad={() => {
        setShown(url)
        settle.current?.('loaded')
        onShown?.()
      }}
      onError={() => {
        setTurn(null)
        settle.current?.('failed')
      }}
    />
  )
})
