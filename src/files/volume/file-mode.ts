// Mode numbers as the API shows them: permission bits low, type flags in the top bits.
import { constants } from 'node:fs'

const DIRECTORY = 2 ** 31
const SYMLINK = 2 ** 27
const DEVICE = 2 ** 26
const NAMED_PIPE = 2 ** 25
const SOCKET = 2 ** 24
const SETUID = 2 ** 23
const SETGID = 2 ** 22
const CHAR_DEVICE = 2 ** 21
const STICKY = 2 ** 20

/** Converts POSIX `st_mode` to the API's unsigned 32-bit number (docs/http-api.md 1.8). */
export function toApiMode(stMode: number): number {
  let mode = stMode & 0o777
  if (stMode & 0o4000) mode += SETUID
  if (stMode & 0o2000) mode += SETGID
  if (stMode & 0o1000) mode += STICKY
  switch (stMode & constants.S_IFMT) {
    case constants.S_IFDIR:
      return mode + DIRECTORY
    case constants.S_IFLNK:
      return mode + SYMLINK
    case constants.S_IFIFO:
      return mode + NAMED_PIPE
    case constants.S_IFSOCK:
      return mode + SOCKET
    case constants.S_IFBLK:
      return mode + DEVICE
    case constants.S_IFCHR:
      return mode + DEVICE + CHAR_DEVICE
    default:
      return mode
  }
}

/** The permission bits to pass to open and mkdir. */
export function permissionBits(mode: number): number {
  return mode & 0o777
}
