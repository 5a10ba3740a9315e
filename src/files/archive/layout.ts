// The pieces of a zip or a tar around the contents. How long each is follows from names, sizes and times alone, so
// that it is known of an archive that nobody has read yet where each byte of it will be.
import type { EntryFacts } from './tar.ts'
import { TAR_END, tarHead, tarPadding } from './tar.ts'
import {
  centralHeader,
  descriptor,
  endOfDirectory,
  FLAG_DESCRIPTOR,
  folderItemOf,
  type Item,
  itemOf,
  localHeader,
} from './zip.ts'

export interface LaidOut extends EntryFacts {
  kind: 'file' | 'dir'
  /** 0 of folders. */
  sizeBytes: number
}

export interface Layout {
  /** Sums of contents stand in it. */
  hasSums: boolean
  /** What comes before the content. */
  head(entry: LaidOut): Buffer
  /** What comes behind the content, whose CRC-32 is `sum`. */
  tail(entry: LaidOut, sum: number): Buffer
  /** Its line in the directory behind all entries; `offset` is where its head begins. */
  line(entry: LaidOut, offset: number, sum: number): Buffer
  /** What ends an archive of `count` entries whose directory begins at `start`. */
  end(count: number, start: number, directoryBytes: number): Buffer
}

const NOTHING = Buffer.alloc(0)

const TAR: Layout = {
  hasSums: false,
  head: (entry) =>
    entry.kind === 'dir'
      ? tarHead({ ...entry, name: `${entry.name}/` }, '5', 0)
      : tarHead(entry, '0', entry.sizeBytes),
  tail: ({ sizeBytes }) => tarPadding(sizeBytes),
  line: () => NOTHING,
  end: () => TAR_END,
}

const ZIP: Layout = {
  hasSums: true,
  head: (entry) => localHeader(storedItem(entry)),
  tail: (entry, sum) =>
    entry.sizeBytes > 0 ? descriptor({ ...storedItem(entry), crc: sum }) : NOTHING,
  line: (entry, offset, sum) => centralHeader({ ...storedItem(entry), offset, crc: sum }),
  end: endOfDirectory,
}

export const LAYOUTS = { zip: ZIP, tar: TAR } as const

export type PlannedFormat = keyof typeof LAYOUTS

// Behind the content alone its sum can stand that is not known before.
function storedItem(entry: LaidOut): Item {
  if (entry.kind === 'dir') return folderItemOf(entry)
  const item = itemOf(entry, entry.sizeBytes)
  item.packedBytes = entry.sizeBytes
  if (entry.sizeBytes > 0) item.flags |= FLAG_DESCRIPTOR
  return item
}
