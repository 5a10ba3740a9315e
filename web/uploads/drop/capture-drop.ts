// What was dropped, taken while the event lasts; reading it comes later.

export type DroppedThing = FileSystemEntry | File

export interface CapturedDrop {
  count: number
  /**
   * The one folder in which Chromium lays out all that was dropped: much faster than asking each item. Null
   * where that is not needed, and in browsers that lay out nothing.
   */
  root: FileSystemDirectoryEntry | null
  /** Beside `root` the files alone: without that folder they can still be sent. */
  things: readonly DroppedThing[]
}

/** Chromium looks at the disk for each entry it is asked for, and the page stands still meanwhile. */
const MAX_ASKED_ONE_BY_ONE = 200

/** Must be called inside the event handler: the browser empties the DataTransfer when that returns. */
export function captureDrop(data: DataTransfer): CapturedDrop {
  const items = Array.from(data.items).filter(({ kind }) => kind === 'file')
  const count = items.length
  if (count === 0) return { count: data.files.length, root: null, things: [...data.files] }
  const isLaidOut = count > MAX_ASKED_ONE_BY_ONE && 'webkitRequestFileSystem' in globalThis
  const root = (isLaidOut && items[0]?.webkitGetAsEntry()?.filesystem.root) || null
  const things = items.map((item) => (root ? null : item.webkitGetAsEntry?.()) ?? item.getAsFile())
  return { count, root, things: things.filter((thing) => thing !== null) }
}
