// How a proxy in front is told to send a file itself.
import { parsed } from './option.ts'

/** Null where nobody is told. */
export type Sendfile =
  | { header: 'X-Accel-Redirect' /** Begins and ends with a slash. */; prefix: string }
  | { header: 'X-Sendfile' }
  | null

/** `x-accel-redirect=/internal/`, `x-sendfile`, or nothing. */
export function parseSendfile(text: string): Sendfile {
  if (text === '') return null
  if (text === 'x-sendfile') return { header: 'X-Sendfile' }
  const prefix = /^x-accel-redirect=(\/(?:[\w-]+\/)+)$/.exec(text)?.[1]
  if (prefix === undefined) throw new Error('expected x-accel-redirect=/internal/ or x-sendfile')
  return { header: 'X-Accel-Redirect', prefix }
}

/** The header for a file, by bytes of its real path; null for one that the proxy cannot name. */
export function sendfileHeader(
  how: NonNullable<Sendfile>,
  root: Buffer,
  path: Buffer,
): Record<string, string> | null {
  const isBelow = path.subarray(0, root.length).equals(root) && path[root.length] === SLASH
  const isTop = root.length === 1
  if (!isBelow && !isTop) return null
  if (how.header === 'X-Sendfile') {
    const bytes = path.toString('latin1')
    // nginx says so itself, a second time.
    return MISREAD.test(bytes) ? null : { [how.header]: bytes, 'Accept-Ranges': 'bytes' }
  }
  return { [how.header]: how.prefix + escapeBytes(path.subarray(isTop ? 1 : root.length + 1)) }
}

const SLASH = 0x2f

/** Not every version of mod_xsendfile decodes what it is told, and a line ends without its blanks. */
const MISREAD = /[\0-\x1f\x7f%]|\s$/

/** nginx decodes what it is told, and takes `?` for the end of the path. */
function escapeBytes(path: Buffer): string {
  return path
    .toString('latin1')
    .replace(
      /[^\w./~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
}

/** The entry of the table of options. */
export const SENDFILE = parsed(
  'HOW',
  parseSendfile,
  '',
  'Lets a believed proxy send whole files itself: x-accel-redirect=/internal/ (nginx) or x-sendfile (Apache)',
  { ours: true },
)
