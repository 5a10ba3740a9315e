// Where a hit of a search lies: as a link in the column of a row, before its facts in a row for fingers.

import type { MouseEvent } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { filesHref, parentOf } from '../../lib/paths.ts'
import { showInFolder } from '../../operations/search/show-in-folder.ts'
import { WayBelow } from '../../ui/way-below.tsx'
import { EntryFacts } from '../details/entry-facts.tsx'
import styles from './hits.css?url'

await loadStylesheet(styles)

interface HitProps {
  entry: FileEntry
  /** The folder that was searched. */
  below: string
}

/** `withFacts`: size and time follow, and nothing is a link, as fingers would hit it in place of the row. */
export function HitFolder({ withFacts = false, ...hit }: HitProps & { withFacts?: boolean }) {
  return withFacts ? <Facts {...hit} /> : <FolderLink {...hit} />
}

/** Leads to the hit in its folder. */
function FolderLink({ entry, below }: HitProps) {
  const folder = parentOf(entry.path)
  function onClick(event: MouseEvent) {
    // The row would take the click for its own.
    event.stopPropagation()
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void showInFolder(entry.path)
  }
  return (
    <a
      className="hit__folder"
      href={filesHref(folder, true)}
      tabIndex={-1}
      draggable={false}
      onClick={onClick}
    >
      <WayBelow base={below} folder={folder} />
    </a>
  )
}

function Facts({ entry, below }: HitProps) {
  return (
    <span className="hit__facts row">
      <small className="trunc dim">
        <WayBelow base={below} folder={parentOf(entry.path)} />
      </small>
      <EntryFacts entry={entry} />
    </span>
  )
}
