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
  /** Of all of them, where the browser gives handles and the upload is long enough to be interrupted. */
  handles: Promise<(FileSystemHandle | null)[]> | null
}

/** https://wicg.github.io/file-system-access/#api-datatransferitem-getasfilesystemhandle */
type HandleGiver = DataTransferItem & {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>
}

/** Chromium looks at the disk for each entry it is asked for, and the page stands still meanwhile. */
const MAX_ASKED_ONE_BY_ONE = 200
/** Fewer bytes are sent before anything interrupts them. */
const LEAST_BYTES = 16 * 1024 * 1024
const MOST_HANDLES = 100

/** Must be called inside the event handler: the browser empties the DataTransfer when that returns. */
export function captureDrop(data: DataTransfer): CapturedDrop {
  const items = Array.from(data.items).filter(({ kind }) => kind === 'file')
  const count = items.length
  if (count === 0)
    return { count: data.files.length, root: null, things: [...data.files], handles: null }
  const isLaidOut = count > MAX_ASKED_ONE_BY_ONE && 'webkitRequestFileSystem' in globalThis
  const root = (isLaidOut && items[0]?.webkitGetAsEntry()?.filesystem.root) || null
  const things = items.map((item) => (root ? null : item.webkitGetAsEntry?.()) ?? item.getAsFile())
  return {
    count,
    root,
    things: things.filter((thing) => thing !== null),
    handles: handlesOf(items),
  }
}

/** Not of folders: for some of them, such as Documents, the browser would show a refusal of its own. */
function handlesOf(items: readonly HandleGiver[]): CapturedDrop['handles'] {
  if (items.length > MOST_HANDLES || !items[0]?.getAsFileSystemHandle) return null
  let bytes = 0
  for (const item of items) {
    if (item.webkitGetAsEntry()?.isFile !== true) return null
    bytes += item.getAsFile()?.size ?? 0
  }
  if (bytes < LEAST_BYTES) return null
  return Promise.all(items.map((item) => item.getAsFileSystemHandle?.().catch(() => null) ?? null))
}
