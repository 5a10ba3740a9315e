// What is known of an entry, of several, or of the open folder; what costs the server work (the size of
// a folder, checksums) is asked for by a button. Used by the panel beside the listing and the dialog.

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { previewUrl } from '../../api/files.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { filesHref, parentOf, ROOT, segmentsOf } from '../../lib/paths.ts'
import { isPictured } from '../../lib/previews.ts'
import { shownName } from '../../lib/shown-name.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import type { InfoProps } from '../../operations/prompt-kinds.ts'
import { permissions } from '../../state/session.ts'
import { Fact } from '../../ui/fact.tsx'
import { FolderGlyph, PageIcon } from '../../ui/file-icon.tsx'
import { useCounts, useListing } from '../use-listing.ts'
import { EntryDate } from './entry-facts.tsx'
import { Checksums } from './info-checksums.tsx'
import { PhotoInfo, usePhoto } from './info-photo.tsx'
import { ExactSize, FolderSize } from './info-size.tsx'
import { modeText } from './mode-text.ts'

export function EntryInfo({ folder, entries }: InfoProps) {
  const [only] = entries
  if (only === undefined) return <FolderInfo key={folder} vpath={folder} />
  if (entries.length > 1) return <SeveralInfo entries={entries} />
  // What was found out holds for these bytes: a file that replaces them is another one.
  return <SingleInfo key={`${only.path} ${only.modified} ${only.size}`} entry={only} />
}

function Location({ vpath }: { vpath: string }) {
  const parts = segmentsOf(vpath).map(shownName)
  return (
    <a href={filesHref(vpath, true)}>
      <bdi>{vpath === ROOT ? folderTitle(ROOT) : parts.join(' / ')}</bdi>
    </a>
  )
}

function FolderInfo({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const { folder } = useListing().shown
  const { folders, files } = useCounts()
  const items = [
    plural(folders, { one: '# folder', other: '# folders' }),
    plural(files, { one: '# file', other: '# files' }),
  ]
  return (
    <>
      <div className="info__picture center sunken">
        <FolderGlyph className="info__folder" />
      </div>
      <h3>
        <bdi>{folderTitle(vpath)}</bdi>
      </h3>
      <dl className="kv fs-md stack">
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
      <dl className="kv fs-md stack">
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
      <dl className="kv fs-md stack">
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
          <EntryDate modified={entry.modified} unreachable={entry.unreachable} />
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
  const pictured = !failed && permissions().download && entry.type !== 'pdf' && isPictured(entry)
  return (
    <div className="info__picture center sunken">
      {pictured ? (
        <img
          src={previewUrl(entry, entry.type === 'video' ? 'thumb' : 'big')}
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
