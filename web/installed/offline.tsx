// Without a connection: the folders that were opened last, to look at.

import { Trans, useLingui } from '@lingui/react/macro'
import { CornerLeftUp } from 'lucide-react'
import { useEffect, useState } from 'react'
import { instanceName } from '../lib/boot.ts'
import { formatDistanceInText, formatSize } from '../lib/format.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { joinPath, nameOf, parentOf, ROOT } from '../lib/paths.ts'
import { DateText } from '../ui/date-text.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { type KeptEntry, type KeptFolder, keptFolders } from './kept-folders.ts'
import styles from './offline.css?url'

await loadStylesheet(styles)

/** Nothing where no folder is kept. */
export function KeptFolders() {
  const [folders, setFolders] = useState<KeptFolder[]>([])
  const [path, setPath] = useState<string>()
  useEffect(() => void keptFolders().then(setFolders), [])
  const shown = path === undefined ? folders[0] : folders.find(({ vpath }) => vpath === path)
  if (shown === undefined) return null
  const others = folders.filter((folder) => folder !== shown)
  const above = folders.find(
    ({ vpath }) => vpath === parentOf(shown.vpath) && vpath !== shown.vpath,
  )
  return (
    <div className="kept stack">
      <Folder folder={shown} folders={folders} above={above} onOpen={setPath} />
      {others.length > 0 && (
        <nav className="kept__others" aria-labelledby="kept-others">
          <h2 id="kept-others" className="fs-md">
            <Trans>Opened before</Trans>
          </h2>
          <ul>
            {others.map(({ vpath }) => (
              <li key={vpath}>
                <button type="button" className="kept__link row" onClick={() => setPath(vpath)}>
                  <FileTile entry={{ name: nameOf(vpath), isDir: true }} />
                  <bdi>{titleOf(vpath)}</bdi>
                </button>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  )
}

interface FolderProps {
  folder: KeptFolder
  folders: readonly KeptFolder[]
  above: KeptFolder | undefined
  onOpen: (vpath: string) => void
}

function Folder({ folder, folders, above, onOpen }: FolderProps) {
  const { t } = useLingui()
  const { vpath, keptAtMs, entries, left } = folder
  const when = formatDistanceInText(keptAtMs)
  const isKept = (entry: KeptEntry) =>
    entry.isDir && folders.some((one) => one.vpath === joinPath(vpath, entry.name))
  return (
    <section aria-label={titleOf(vpath)}>
      <h2 className="kept__title row">
        <bdi>{titleOf(vpath)}</bdi>
        <small>
          <Trans>Saved {when}</Trans>
        </small>
      </h2>
      <ul className="kept__list line-top">
        {above !== undefined && (
          <li>
            <button type="button" className="kept__link row" onClick={() => onOpen(above.vpath)}>
              <CornerLeftUp className="i flip" aria-hidden />
              <span>{t`Folder above`}</span>
            </button>
          </li>
        )}
        {entries.map((entry) => (
          <li key={entry.name}>
            {isKept(entry) ? (
              <button
                type="button"
                className="kept__link row"
                onClick={() => onOpen(joinPath(vpath, entry.name))}
              >
                <Entry entry={entry} />
              </button>
            ) : (
              <span className="kept__entry row">
                <Entry entry={entry} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {entries.length === 0 && (
        <p className="mid">
          <Trans>This folder is empty</Trans>
        </p>
      )}
      {left > 0 && (
        <p className="mid fs-sm">
          <Trans>The rest of this folder needs a connection.</Trans>
        </p>
      )}
    </section>
  )
}

function Entry({ entry }: { entry: KeptEntry }) {
  return (
    <>
      <FileTile entry={entry} />
      <bdi className="grow">{entry.name}</bdi>
      {!entry.isDir && <span className="num fs-sm mid">{formatSize(entry.size)}</span>}
      <span className="kept__date fs-sm mid">
        <DateText moment={entry.modified} />
      </span>
    </>
  )
}

function titleOf(vpath: string): string {
  return vpath === ROOT ? instanceName : nameOf(vpath)
}
