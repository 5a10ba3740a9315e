// A picture of an entry over its icon. The icon stays when there is no picture to be had.

import { memo, useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { previewUrl } from '../../api/files.ts'
import { boot } from '../../lib/boot.ts'
import { isLightThumbnail, isPictured } from '../../lib/previews.ts'
import { permissions } from '../../state/session.ts'
import { isThumbnailHopeless, isThumbnailLoaded, queueThumbnail } from './thumbnail-queue.ts'

function thumbnailUrl(entry: FileEntry): string | null {
  if (!boot.EnableThumbs || entry.isDir || !permissions().download) return null
  if (!isPictured(entry)) return null
  if (!isLightThumbnail(entry)) return null
  return previewUrl(entry, 'thumb')
}

interface Props {
  entry: FileEntry
  className: string
  /** Tells the card that a picture covers its icon. */
  onShown?: () => void
}

export const Thumbnail = memo(function Thumbnail({ entry, className, onShown }: Props) {
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
