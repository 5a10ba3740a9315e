// What the first bytes of a picture tell: its dimensions and how it was taken.

import { useLingui } from '@lingui/react/macro'
import type { FileEntry } from '../../../src/api-types.ts'
import { fetchRange } from '../../api/content.ts'
import { type PhotoFacts, readPhotoFacts } from '../../lib/exif.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { encodePath } from '../../lib/paths.ts'
import { permissions } from '../../state/session.ts'
import { Fact } from '../../ui/fact.tsx'
import {
  HEAD_BYTES,
  type PictureFacts,
  readPictureFacts,
} from '../../viewers/picture/picture-facts.ts'

interface Photo {
  size: PictureFacts | null
  photo: PhotoFacts | null
}

const nothing: Photo = { size: null, photo: null }

export function usePhoto({ path, type, size }: FileEntry): Photo {
  const read = useRead([path, type, size], async (signal): Promise<Photo> => {
    if (type !== 'image' || size === 0 || !permissions().download) return nothing
    const end = Math.min(size, HEAD_BYTES)
    const head = await fetchRange(`/raw${encodePath(path)}`, 0, end, {}, signal)
    return { size: readPictureFacts(head), photo: readPhotoFacts(head) }
  })
  // Of a picture that cannot be read less is shown.
  return read.state === 'ready' ? read.value : nothing
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
