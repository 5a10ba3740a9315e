// What is known of an entry, of several, or of the open folder; what costs the server work (the size of
// a folder, checksums) is asked for by a button. Used by the panel beside the listing and the dialog.

import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { fetchRange } from '../../api/content.ts'
import {
  type ChecksumAlgorithm,
  fetchChecksum,
  fetchInfo,
  previewUrl,
  streamTree,
} from '../../api/files.ts'
import { boot, hasVersions } from '../../lib/boot.ts'
import { type PhotoFacts, readPhotoFacts } from '../../lib/exif.ts'
import {
  formatCounts,
  formatDayAndTime,
  formatDimensions,
  formatNumber,
  formatSize,
} from '../../lib/format.ts'
import { kindName } from '../../lib/kind-name.ts'
import { onDemandBeside } from '../../lib/page/on-demand.tsx'
import { useAsked } from '../../lib/page/use-asked.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { encodePath, parentOf, queryOf, ROOT, shownName } from '../../lib/paths.ts'
import { isPictured } from '../../lib/previews.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import type { InfoProps } from '../../operations/prompt-kinds.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError } from '../../operations/toasts.ts'
import { cachedFolder } from '../../state/folder-cache.ts'
import { abilitiesOn } from '../../state/rights.ts'
import { permissions } from '../../state/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Fact } from '../../ui/fact.tsx'
import { FolderGlyph, PageIcon } from '../../ui/file-icon.tsx'
import { isText } from '../../viewers/frame/kinds.ts'
import {
  HEAD_BYTES,
  type PictureFacts,
  readPictureFacts,
} from '../../viewers/picture/picture-facts.ts'
import { useCounts, useListing } from '../use-listing.ts'
import { EntryDate } from './entry-facts.tsx'
import { Location } from './location.tsx'
import { Locks } from './locks.tsx'
import { modeText } from './mode-text.ts'
import { SearchInfo } from './search-info.tsx'

const WhoMay = onDemandBeside(async () => (await import('./who-may.tsx')).WhoMay)

export function EntryInfo({ folder, entries }: InfoProps) {
  const [only] = entries
  if (only === undefined) {
    const Info = queryOf(folder) === null ? FolderInfo : SearchInfo
    return <Info key={folder} vpath={folder} />
  }
  if (entries.length > 1) return <SeveralInfo entries={entries} />
  // What was found out holds for these bytes: a file that replaces them is another one.
  return <SingleInfo key={`${only.path} ${only.modified} ${only.size}`} entry={only} />
}

function FolderInfo({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const { folder } = useListing().shown
  const { folders, files } = useCounts()
  return (
    <>
      <div className="info__picture center sunken">
        <FolderGlyph className="info__folder" />
      </div>
      <h3>
        <bdi>{folderTitle(vpath)}</bdi>
      </h3>
      <dl className="kv fs-md stack">
        <Fact label={t`Contents`}>{formatCounts(folders, files) || t`Empty folder`}</Fact>
        <Fact label={t`Size`}>
          <FolderSize paths={[vpath]} bytes={0} />
        </Fact>
        {folder !== null && folder.modifiedMs > 0 && (
          <Fact label={t`Modified`}>
            <time dateTime={new Date(folder.modifiedMs).toISOString()}>
              {formatDayAndTime(folder.modifiedMs)}
            </time>
          </Fact>
        )}
        {vpath !== ROOT && (
          <Fact label={t`Location`}>
            <Location vpath={parentOf(vpath)} />
          </Fact>
        )}
        {folder !== null && <Fact label={t`Permissions`}>{modeText(folder.mode)}</Fact>}
        <Locks vpath={vpath} />
      </dl>
      {permissions().admin && <WhoMay vpath={vpath} />}
    </>
  )
}

function SeveralInfo({ entries }: { entries: readonly FileEntry[] }) {
  const { t } = useLingui()
  const folders = entries.filter((entry) => entry.isDir)
  const files = entries.length - folders.length
  const bytes = entries.reduce((sum, entry) => sum + (entry.isDir ? 0 : entry.size), 0)
  return (
    <>
      <h3>{plural(entries.length, { one: '# item', other: '# items' })}</h3>
      <dl className="kv fs-md stack">
        <Fact label={t`Contents`}>{formatCounts(folders.length, files)}</Fact>
        <Fact label={t`Size`}>
          {folders.length === 0 ? (
            <ExactSize bytes={bytes} />
          ) : (
            <FolderSize
              key={folders.map((folder) => folder.path).join('\n')}
              paths={folders.map((folder) => folder.path)}
              bytes={bytes}
            />
          )}
        </Fact>
      </dl>
    </>
  )
}

function SingleInfo({ entry }: { entry: FileEntry }) {
  const { t } = useLingui()
  const { size, photo } = usePhoto(entry)
  const kind = entry.isDir || entry.type === 'invalid_link' ? '' : kindName(entry)
  const pixels = size === null ? null : formatDimensions(size)
  return (
    <>
      <Picture entry={entry} />
      <h3>
        <bdi>{shownName(entry.name)}</bdi>
      </h3>
      <dl className="kv fs-md stack">
        {entry.type === 'invalid_link' && <Fact label={t`Kind`}>{t`Broken link`}</Fact>}
        {kind !== '' && <Fact label={t`Kind`}>{kind}</Fact>}
        {entry.isSymlink && entry.type !== 'invalid_link' && <Fact label={t`Kind`}>{t`Link`}</Fact>}
        {entry.isDir && entry.unreachable !== true && <FolderContents vpath={entry.path} />}
        <Fact label={t`Size`}>
          {entry.isDir ? (
            <FolderSize paths={[entry.path]} bytes={0} />
          ) : (
            <ExactSize bytes={entry.size} />
          )}
        </Fact>
        {pixels !== null && (
          <Fact label={t`Dimensions`}>
            <span className="num" dir="ltr">
              {pixels}
            </span>
          </Fact>
        )}
        {photo !== null && <PhotoInfo photo={photo} />}
        <Fact label={t`Modified`}>
          {entry.unreachable === true ? (
            <EntryDate modified={entry.modified} unreachable />
          ) : (
            <time dateTime={entry.modified}>{formatDayAndTime(entry.modified)}</time>
          )}
        </Fact>
        <Fact label={t`Location`}>
          <Location vpath={parentOf(entry.path)} />
        </Fact>
        {entry.mode !== 0 && (
          <Fact label={t`Permissions`}>
            <span dir="ltr" className="mono">
              {modeText(entry.mode)}
            </span>
          </Fact>
        )}
        {entry.type !== 'invalid_link' && <Locks vpath={entry.path} />}
      </dl>
      {!entry.isDir && entry.type !== 'invalid_link' && abilitiesOn(entry.path).download && (
        <Checksums path={entry.path} />
      )}
      {hasVersions && !entry.isDir && entry.type !== 'invalid_link' && <Versions entry={entry} />}
      {entry.isDir && permissions().admin && <WhoMay vpath={entry.path} />}
    </>
  )
}

/** How many entries the folder itself has; nothing until that is known. */
function FolderContents({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const read = useRead([vpath], async (signal) => {
    const kept = cachedFolder(vpath)?.entries
    return kept ?? (await fetchInfo(vpath, signal)).items ?? []
  })
  if (read.state !== 'ready') return null
  const { length } = read.value
  const folders = read.value.filter(({ isDir }) => isDir).length
  return (
    <Fact label={t`Contents`}>{formatCounts(folders, length - folders) || t`Empty folder`}</Fact>
  )
}

function Picture({ entry }: { entry: FileEntry }) {
  const [failed, setFailed] = useState(false)
  const pictured = !failed && abilitiesOn(entry.path).download && isPictured(entry)
  // Small ones of films are square. Where large ones are not made, the film itself would come.
  const isSmall = entry.type === 'pdf' || (entry.type === 'video' && !boot.ResizePreview)
  const size = isSmall ? 'thumb' : 'big'
  return (
    <div className="info__picture center sunken">
      {pictured ? (
        <img src={previewUrl(entry, size)} alt="" onError={() => setFailed(true)} />
      ) : entry.isDir ? (
        <FolderGlyph className="info__folder" />
      ) : (
        <PageIcon entry={entry} />
      )}
    </div>
  )
}

function ExactSize({ bytes }: { bytes: number }) {
  const exact = formatNumber(bytes)
  return (
    <span className="num">
      <bdi>{formatSize(bytes)}</bdi>{' '}
      {bytes >= 1024 && (
        <bdi className="dim">
          <Trans>({exact} B)</Trans>
        </bdi>
      )}
    </span>
  )
}

/** The size of everything in folders, listed by the server when asked. */
function FolderSize({ paths, bytes }: { paths: readonly string[]; bytes: number }) {
  const sum = useAsked(async (signal) => {
    let total = bytes
    let items = 0
    for (const path of paths) {
      for await (const entries of streamTree(path, signal)) {
        items += entries.length
        for (const entry of entries) if (!entry.isDir) total += entry.size
      }
    }
    return { total, items }
  }, toastError)

  if (sum.value !== null) {
    const { total, items } = sum.value
    return (
      <>
        <ExactSize bytes={total} />
        <br />
        <span className="dim">
          {plural(items, { one: '# item inside', other: '# items inside' })}
        </span>
      </>
    )
  }
  return (
    <Button size="sm" className="info__ask" busy={sum.busy} onClick={sum.ask}>
      <Trans>Calculate</Trans>
    </Button>
  )
}

const algorithms: readonly { id: ChecksumAlgorithm; name: string }[] = [
  { id: 'sha256', name: 'SHA-256' },
  { id: 'md5', name: 'MD5' },
  { id: 'sha1', name: 'SHA-1' },
  { id: 'sha512', name: 'SHA-512' },
]

function Checksums({ path }: { path: string }) {
  return (
    <section className="info__sums line-top">
      <h4>
        <Trans>Checksums</Trans>
      </h4>
      <dl className="kv fs-md stack">
        {algorithms.map(({ id, name }) => (
          <Fact key={id} label={name}>
            <Checksum path={path} algorithm={id} />
          </Fact>
        ))}
      </dl>
    </section>
  )
}

/** The dialog has them: few people look for them, and a panel has no room to compare. */
function Versions({ entry }: { entry: FileEntry }) {
  const { download, modify } = abilitiesOn(entry.path)
  if (!download || !modify) return null
  return (
    <section className="info__sums line-top row">
      <h4 className="grow">
        <Trans>Versions</Trans>
      </h4>
      <Button
        size="sm"
        className="info__ask"
        onClick={() => openPrompt('versions', { path: entry.path, isText: isText(entry) })}
      >
        <Trans>Show</Trans>
      </Button>
    </section>
  )
}

function Checksum({ path, algorithm }: { path: string; algorithm: ChecksumAlgorithm }) {
  const { t } = useLingui()
  const sum = useAsked((signal) => fetchChecksum(path, algorithm, signal), toastError)
  const { value } = sum
  if (value === null) {
    return (
      <Button
        size="sm"
        className="info__ask"
        busy={sum.busy}
        data-algorithm={algorithm}
        onClick={sum.ask}
      >
        <Trans>Calculate</Trans>
      </Button>
    )
  }
  return (
    <span className="info__sum row">
      <code dir="ltr" data-checksum={algorithm}>
        {value}
      </code>
      <IconButton
        size="sm"
        icon={Copy}
        label={t`Copy`}
        onClick={() => void copyWithToast(value, t`Checksum copied`)}
      />
    </span>
  )
}

interface Photo {
  size: PictureFacts | null
  photo: PhotoFacts | null
}

const nothing: Photo = { size: null, photo: null }

function usePhoto({ path, type, size }: FileEntry): Photo {
  const read = useRead([path, type, size], async (signal): Promise<Photo> => {
    if (type !== 'image' || size === 0 || !abilitiesOn(path).download) return nothing
    const end = Math.min(size, HEAD_BYTES)
    const head = await fetchRange(`/raw${encodePath(path)}`, 0, end, {}, signal)
    return { size: readPictureFacts(head), photo: readPhotoFacts(head) }
  })
  // Of a picture that cannot be read less is shown.
  return read.state === 'ready' ? read.value : nothing
}

function PhotoInfo({ photo }: { photo: PhotoFacts }) {
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
      {photo.taken !== undefined && (
        <Fact label={t`Date taken`}>{formatDayAndTime(photo.taken)}</Fact>
      )}
      {photo.camera !== undefined && <Fact label={t`Camera`}>{photo.camera}</Fact>}
      {photo.lens !== undefined && <Fact label={t`Lens`}>{photo.lens}</Fact>}
      {settings.length > 0 && (
        <Fact label={t`Exposure`}>
          <span dir="ltr">{settings.join(' · ').replaceAll(/(?<=\d) (?=[a-z])/g, '\u00a0')}</span>
        </Fact>
      )}
      {latitude !== undefined && longitude !== undefined && (
        <Fact label={t`Coordinates`}>
          <span dir="ltr" className="num">
            {latitude.toFixed(5)}, {longitude.toFixed(5)}
          </span>
        </Fact>
      )}
    </>
  )
}
