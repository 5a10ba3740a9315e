// Names out of archives, which anybody may have written.
import { MAX_PATH_BYTES } from '../../lib/host-path.ts'
import type { VPath } from '../../lib/vpath.ts'
import { leadsToReserved } from '../volume/reserved-name.ts'

const MAX_NAME_BYTES = 255
/** What Windows keeps for itself, or would read as something else. */
const OF_WINDOWS = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * The segments of a name, none for the folder itself; null for a name that leads anywhere else, belongs to the server or cannot be
 * had: absolute ones, drives, `..`, NUL, too long ones.
 */
export function segmentsOf(
  name: string,
  platform: NodeJS.Platform = process.platform,
): string[] | null {
  if (Buffer.byteLength(name) >= MAX_PATH_BYTES) return null
  if (name === '' || name.includes('\0') || /^(?:[/\\]|[a-z]:)/i.test(name)) return null
  const separator = platform === 'win32' ? /[/\\]/ : '/'
  const segments = name.split(separator).filter((segment) => segment !== '' && segment !== '.')
  for (const segment of segments) {
    // Of a backslash nobody knows whether it separates.
    if (segment.split('\\').includes('..')) return null
    if (Buffer.byteLength(segment) > MAX_NAME_BYTES) return null
    if (platform === 'win32' && OF_WINDOWS.test(segment)) return null
  }
  return leadsToReserved(`/${segments.join('/')}` as VPath) ? null : segments
}

const EXTENSION = /(?:\.tar)?\.(?:gz|bz2|xz|lz4|sz|br|zst)$|\.[a-z0-9]{1,5}$/i

/** What a folder for the content of an archive is called. */
export function folderNameOf(archive: string): string {
  const name = archive.replace(EXTENSION, '')
  return name === '' || name === archive ? `${archive}.extracted` : name
}
