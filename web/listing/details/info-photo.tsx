// What the first bytes of a picture tell: its dimensions and how it was taken.

import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { fetchRange } from '../../api/content.ts'
import { type PhotoFacts, readPhotoFacts } from '../../lib/exif.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { encodePath } from '../../lib/paths.ts'
import { permissions } from '../../state/session.ts'
import {
  HEAD_BYTES,
  type PictureFacts,
  readPictureFacts,
} from '../../viewers/picture/picture-facts.ts'
import { Fact } from './fact.tsx'

interface Photo {
  size: PictureFacts | null
  photo: PhotoFacts | null
}

const nothing: Photo = { size: null, photo: null }

/** Dimensions and camera facts from the first bytes of a picture. */
export function usePhoto(entry: FileEntry): Photo {
  const [facts, setFacts] = useState<Photo>(nothing)
  const { path, type, size } = entry
  useEffect(() => {
    if (type !== 'image' || size === 0 || !permissions().download) return
    const controller = new AbortController()
    fetchRange(
      `/raw${encodePath(path)}`,
      0,
      Math.min(size, HEAD_BYTES),
      {},
      controller.signal,
    ).then(
      (head) => setFacts({ size: readPictureFacts(head), photo: readPhotoFacts(head) }),
      () => {}, // The panel simply shows less.
    )
    return () => controller.abort()
  }, [path, type, size])
  return facts
}

export function PhotoInfo({ photo }: { photo: PhotoFacts }) {
  const { t } = useLingui()
  const { exposureS, aperture, iso, focalLengthMm, latitude, longitude } = photo
  const settings = [
    exposureS !== undefined &&
      (exposureS < 0.4 ? `1/${Math.round(1 / exposureS)} s` : `${formatNumber(exposureS, 1)} s`),
    aperture !== undefined && `f/${formatNumber(aperture, 1)}`,
    iso !== undefined && `ISO ${iso}`,
    focalLengthMm !== undefined && `${formatNumber(focalLengthMm)} mm`,
  ].filter((part) => part !== false)
  return (
    <>
      {photo.taken !== undefined && <Fact label={t`Taken`}>{formatMoment(photo.taken)}</Fact>}
      {photo.camera !== undefined && <Fact label={t`Camera`}>{photo.camera}</Fact>}
      {photo.lens !== undefined && <Fact label={t`Lens`}>{photo.lens}</Fact>}
      {settings.length > 0 && (
        <Fact label={t`Exposure`}>
          <span dir="ltr">{settings.join(' · ')}</span>
        </Fact>
      )}
      {latitude !== undefined && longitude !== undefined && (
        <Fact label={t`Place`}>
          <span dir="ltr" className="num">
            {latitude.toFixed(5)}, {longitude.toFixed(5)}
          </span>
        </Fact>
      )}
    </>
  )
}
