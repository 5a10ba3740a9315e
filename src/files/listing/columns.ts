// The entries of a listing by columns. An object for each of 100,000 takes twice the memory, and V8 lets its heap grow to
// four times of what is in use.
import type { FileType } from '../../api-types.ts'
import type { VPath } from '../../lib/vpath.ts'

/** No more than is told of an entry. */
export interface ListedEntry {
  name: string
  isDir: boolean
  isSymlink: boolean
  isUnreachable: boolean
  sizeBytes: number
  /** As toParts gives it: whole seconds since the epoch, and nanoseconds. */
  mtimeS: number
  mtimeNanos: number
  mode: number
  type: FileType
  subtitles: readonly VPath[]
}

export interface Columns {
  /** Entries so far. */
  count(): number
  add(entry: ListedEntry): void
  /** The entry that was added as the n-th, from 0 on: an object of its own each time. */
  at(place: number): ListedEntry
  nameAt(place: number): string
  isDirAt(place: number): boolean
  sizeAt(place: number): number
  /** Order of two by their times. */
  compareTimes(a: number, b: number): number
  typeAt(place: number): FileType
  setSubtitles(place: number, subtitles: readonly VPath[]): void
}

const FIRST_ROOM = 64
const DIR = 1
const SYMLINK = 2
const UNREACHABLE = 4
const NO_SUBTITLES: readonly VPath[] = []

export function createColumns(): Columns {
  const names: string[] = []
  const types: FileType[] = []
  const subtitles = new Map<number, readonly VPath[]>()
  let sizes = new Float64Array(FIRST_ROOM)
  // Disks keep times that 64 bits of nanoseconds cannot hold.
  let seconds = new Float64Array(FIRST_ROOM)
  let nanos = new Uint32Array(FIRST_ROOM)
  let modes = new Uint32Array(FIRST_ROOM)
  let flags = new Uint8Array(FIRST_ROOM)
  const makeRoom = () => {
    const room = flags.length * 2
    sizes = new Float64Array(sizes.buffer.transfer(room * sizes.BYTES_PER_ELEMENT))
    seconds = new Float64Array(seconds.buffer.transfer(room * seconds.BYTES_PER_ELEMENT))
    nanos = new Uint32Array(nanos.buffer.transfer(room * nanos.BYTES_PER_ELEMENT))
    modes = new Uint32Array(modes.buffer.transfer(room * modes.BYTES_PER_ELEMENT))
    flags = new Uint8Array(flags.buffer.transfer(room))
  }
  const has = (place: number, flag: number) => ((flags[place] as number) & flag) !== 0
  return {
    count: () => names.length,
    add(entry) {
      const place = names.length
      if (place === flags.length) makeRoom()
      names.push(entry.name)
      types.push(entry.type)
      sizes[place] = entry.sizeBytes
      seconds[place] = entry.mtimeS
      nanos[place] = entry.mtimeNanos
      modes[place] = entry.mode
      flags[place] =
        (entry.isDir ? DIR : 0) |
        (entry.isSymlink ? SYMLINK : 0) |
        (entry.isUnreachable ? UNREACHABLE : 0)
    },
    at: (place) => ({
      name: names[place] as string,
      isDir: has(place, DIR),
      isSymlink: has(place, SYMLINK),
      isUnreachable: has(place, UNREACHABLE),
      sizeBytes: sizes[place] as number,
      mtimeS: seconds[place] as number,
      mtimeNanos: nanos[place] as number,
      mode: modes[place] as number,
      type: types[place] as FileType,
      subtitles: subtitles.get(place) ?? NO_SUBTITLES,
    }),
    nameAt: (place) => names[place] as string,
    isDirAt: (place) => has(place, DIR),
    sizeAt: (place) => sizes[place] as number,
    compareTimes: (a, b) =>
      (seconds[a] as number) - (seconds[b] as number) ||
      (nanos[a] as number) - (nanos[b] as number),
    typeAt: (place) => types[place] as FileType,
    setSubtitles: (place, found) => void subtitles.set(place, found),
  }
}
