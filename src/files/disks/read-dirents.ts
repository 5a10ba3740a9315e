// The names in a folder and what they are.
import type { Dir, Dirent } from 'node:fs'
import { opendir, readdir } from 'node:fs/promises'
import type { Device } from './device.ts'

/** Entries asked for at a time: names are made in some two milliseconds, then others get their turn. */
const ENTRIES_AT_ONCE = 2_000

/**
 * Everything in the folder at `ref`, in the order of the disk. Where a file system does not tell what
 * a name is, Node looks at each, all at once by readdir(): on a device that may stop answering it is
 * one after the other.
 */
export async function readDirents(ref: string, device: Device): Promise<Dirent[]> {
  if (device.kind !== 'foreign') return readdir(ref, { withFileTypes: true })
  return readInParts(ref, device, 'utf8')
}

/** Like readDirents; with `buffer` the names are bytes, whatever their type says. */
export async function readInParts(
  ref: string,
  device: Device,
  encoding: 'utf8' | 'buffer',
): Promise<Dirent[]> {
  const close = (dir: Dir) => void device.release(() => dir.close()).catch(() => {})
  const options = { encoding: encoding as BufferEncoding, bufferSize: ENTRIES_AT_ONCE }
  const dir = await device.query(() => opendir(ref, options), close)
  try {
    const dirents: Dirent[] = []
    for (;;) {
      const dirent = await device.query(() => dir.read())
      if (!dirent) return dirents
      dirents.push(dirent)
    }
  } finally {
    // Nobody waits for it: it comes after a read that was given up.
    close(dir)
  }
}
