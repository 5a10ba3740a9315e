// What is known of an entry, of several, or of the open folder; what costs the server work (the size of
// a folder, checksums) is asked for by a button. Used by the panel beside the listing and the dialog.

import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import { isAbort } from '../api/client.ts'
import { fetchRange } from '../api/content.ts'
import { type ChecksumAlgorithm, fetchChecksum, fetchTree, previewUrl } from '../api/files.ts'
import { boot } from '../lib/boot.ts'
import { ClipboardError, copyText } from '../lib/clipboard.ts'
import { type PhotoFacts, readPhotoFacts } from '../lib/exif.ts'
import { formatMoment, formatNumber, formatSize } from '../lib/format.ts'
import { encodePath, filesHref, parentOf, ROOT, segmentsOf } from '../lib/paths.ts'
import { shownName } from '../lib/shown-name.ts'
import { folderTitle } from '../state/failure-toasts.ts'
import { permissions } from '../state/session.ts'
import { toastError, toastSuccess } from '../state/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { FolderGlyph, PageIcon } from '../ui/file-icon.tsx'
import { HEAD_BYTES, type PictureFacts, readPictureFacts } from '../viewers/picture-facts.ts'
import { EntryDate } from './entry-facts.tsx'
import { modeText } from './mode-text.ts'
import { useListing } from './use-listing.ts'

export interface EntryInfoProps {
  folder: string
  /** Nothing means the folder itself. */
  entries: readonly FileEntry[]
}

export function EntryInfo({ folder, entries }: EntryInfoProps) {
  const [only] = entries
  if (only === undefined) return <FolderInfo key={folder} vpath={folder} />
  if (entries.length > 1) return <SeveralInfo entries={entries} />
  // What was found out holds for these bytes: a file that replaces them is another one.
  return <SingleInfo key={`${only.path} ${only.modified} ${only.size}`} entry={only} />
}

function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Location({ vpath }: { vpath: string }) {
  const parts = segmentsOf(vpath).map(shownName)
  return (
    <a href={filesHref(boot.BaseURL, vpath, true)}>
      <bdi>{vpath === ROOT ? folderTitle(ROOT) : parts.join(' / ')}</bdi>
    </a>
  )
}

/** Bytes both rounded and exact. */
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

function FolderInfo({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const { folder, folders, files } = useListing()
  const items = [
    plural(folders, { one: '# folder', other: '# folders' }),
    plural(files, { one: '# file', other: '# files' }),
  ]
  return (
    <>
      <div className="info__picture">
        <FolderGlyph className="info__folder" />
      </div>
      <h3>
        <bdi>{folderTitle(vpath)}</bdi>
      </h3>
      <dl className="kv">
        <Fact label={t`Contents`}>{items.join(', ')}</Fact>
        <Fact label={t`Size`}>
          <FolderSize paths={[vpath]} bytes={0} />
        </Fact>
        {folder !== null && folder.modifiedMs > 0 && (
          <Fact label={t`Modified`}>
            <time dateTime={new Date(folder.modifiedMs).toISOString()}>
              {formatMoment(folder.modifiedMs)}
            </time>
          </Fact>
        )}
        {vpath !== ROOT && (
          <Fact label={t`Location`}>
            <Location vpath={parentOf(vpath)} />
          </Fact>
        )}
        {folder !== null && <Fact label={t`Mode`}>{modeText(folder.mode)}</Fact>}
      </dl>
    </>
  )
}

function SeveralInfo({ entries }: { entries: readonly FileEntry[] }) {
  const { t } = useLingui()
  const folders = entries.filter((entry) => entry.isDir)
  const files = entries.length - folders.length
  const bytes = entries.reduce((sum, entry) => sum + (entry.isDir ? 0 : entry.size), 0)
  const parts = [
    ...(folders.length > 0
      ? [plural(folders.length, { one: '# folder', other: '# folders' })]
      : []),
    ...(files > 0 ? [plural(files, { one: '# file', other: '# files' })] : []),
  ]
  return (
    <>
      <h3>{plural(entries.length, { one: '# item', other: '# items' })}</h3>
      <dl className="kv">
        <Fact label={t`Contents`}>{parts.join(', ')}</Fact>
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

/** The size of everything in folders, counted by the server when asked. */
function FolderSize({ paths, bytes }: { paths: readonly string[]; bytes: number }) {
  const [sum, setSum] = useState<{ bytes: number; items: number } | null>(null)
  const [controller, setController] = useState<AbortController | null>(null)
  useEffect(() => () => controller?.abort(), [controller])

  async function count() {
    const own = new AbortController()
    setController(own)
    try {
      let total = bytes
      let items = 0
      for (const path of paths) {
        for (const entry of await fetchTree(path, own.signal)) {
          items++
          if (!entry.isDir) total += entry.size
        }
      }
      setSum({ bytes: total, items })
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) toastError(error)
    } finally {
      if (!own.signal.aborted) setController(null)
    }
  }

  if (sum !== null) {
    const items = sum.items
    return (
      <>
        <ExactSize bytes={sum.bytes} />
        <br />
        <span className="dim">
          {plural(items, { one: '# item inside', other: '# items inside' })}
        </span>
      </>
    )
  }
  return (
    <Button size="sm" className="info__ask" busy={controller !== null} onClick={() => void count()}>
      <Trans>Calculate</Trans>
    </Button>
  )
}

function SingleInfo({ entry }: { entry: FileEntry }) {
  const { t } = useLingui()
  const { size, photo } = usePhoto(entry)
  const pixels = size === null ? null : `${formatNumber(size.width)} × ${formatNumber(size.height)}`
  return (
    <>
      <Picture entry={entry} />
      <h3>
        <bdi>{shownName(entry.name)}</bdi>
      </h3>
      <dl className="kv">
        {entry.type === 'invalid_link' && <Fact label={t`Kind`}>{t`Broken link`}</Fact>}
        {entry.isSymlink && entry.type !== 'invalid_link' && <Fact label={t`Kind`}>{t`Link`}</Fact>}
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
        <Fact label={t`Modified`}>
          <EntryDate modified={entry.modified} />
        </Fact>
        <Fact label={t`Location`}>
          <Location vpath={parentOf(entry.path)} />
        </Fact>
        <Fact label={t`Mode`}>
          <span dir="ltr" className="mono">
            {modeText(entry.mode)}
          </span>
        </Fact>
        {photo !== null && <PhotoInfo photo={photo} />}
      </dl>
      {!entry.isDir && entry.type !== 'invalid_link' && permissions().download && (
        <Checksums path={entry.path} />
      )}
    </>
  )
}

function Picture({ entry }: { entry: FileEntry }) {
  const [failed, setFailed] = useState(false)
  const pictured =
    !failed && permissions().download && (entry.type === 'image' || entry.type === 'video')
  return (
    <div className="info__picture">
      {pictured ? (
        <img
          src={previewUrl(entry, entry.type === 'image' ? 'big' : 'thumb')}
          alt=""
          onError={() => setFailed(true)}
        />
      ) : entry.isDir ? (
        <FolderGlyph className="info__folder" />
      ) : (
        <PageIcon entry={entry} />
      )}
    </div>
  )
}

interface Photo {
  size: PictureFacts | null
  photo: PhotoFacts | null
}

const nothing: Photo = { size: null, photo: null }

/** Dimensions and camera facts from the first bytes of a picture. */
function usePhoto(entry: FileEntry): Photo {
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

const algorithms: readonly { id: ChecksumAlgorithm; name: string }[] = [
  { id: 'sha256', name: 'SHA-256' },
  { id: 'md5', name: 'MD5' },
  { id: 'sha1', name: 'SHA-1' },
  { id: 'sha512', name: 'SHA-512' },
]

function Checksums({ path }: { path: string }) {
  return (
    <section className="info__sums">
      <h4>
        <Trans>Checksums</Trans>
      </h4>
      <dl className="kv">
        {algorithms.map(({ id, name }) => (
          <Fact key={id} label={name}>
            <Checksum path={path} algorithm={id} />
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function Checksum({ path, algorithm }: { path: string; algorithm: ChecksumAlgorithm }) {
  const { t } = useLingui()
  const [sum, setSum] = useState('')
  const [controller, setController] = useState<AbortController | null>(null)
  useEffect(() => () => controller?.abort(), [controller])

  async function calculate() {
    const own = new AbortController()
    setController(own)
    try {
      setSum(await fetchChecksum(path, algorithm, own.signal))
    } catch (error) {
      if (!own.signal.aborted) toastError(error)
    } finally {
      if (!own.signal.aborted) setController(null)
    }
  }

  async function copy() {
    try {
      await copyText(sum)
      toastSuccess(t`Checksum copied`)
    } catch (error) {
      toastError(error instanceof ClipboardError ? error.message : error)
    }
  }

  if (sum === '') {
    return (
      <Button
        size="sm"
        className="info__ask"
        busy={controller !== null}
        data-algorithm={algorithm}
        onClick={() => void calculate()}
      >
        <Trans>Calculate</Trans>
      </Button>
    )
  }
  return (
    <span className="info__sum">
      <code dir="ltr" data-checksum={algorithm}>
        {sum}
      </code>
      <IconButton size="sm" icon={Copy} label={t`Copy`} onClick={() => void copy()} />
    </span>
  )
}
