// The files of a trash that say where something was: specifications.freedesktop.org/trash-spec 1.0. Others
// may have written them, so nothing in them is believed that leads out of the folder of the trash.

export const INFO_SUFFIX = '.trashinfo'
/** A larger one is not ours, nor anybody's that means well. */
export const MAX_INFO_BYTES = 64 * 1024
/** Of a name on most disks. */
const MAX_NAME_BYTES = 255

/** What is written beside a deleted entry. */
export interface TrashInfo {
  /** Below the folder that the trash lies in, as bytes; null where it leads elsewhere or says nothing. */
  path: Buffer | null
  deletedAt: number
  /** Id of the account that deleted it; null for another program's. */
  userID: number | null
  /** What deletions belong together, as its caller named it. */
  operation: string | null
}

const PLAIN = /[A-Za-z0-9\-_.!~*'()/]/

function escapePath(path: Buffer): string {
  let text = ''
  for (const byte of path) {
    const character = String.fromCharCode(byte)
    text += PLAIN.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}

function unescapePath(text: string): Buffer {
  if (!text.includes('%')) return Buffer.from(text)
  const bytes = Buffer.from(text)
  const out: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : ''
    if (/^[0-9a-f]{2}$/i.test(code)) {
      out.push(Number.parseInt(code, 16))
      at += 2
    } else out.push(bytes[at] as number)
  }
  return Buffer.from(out)
}

/** True for a path, its bytes as characters or text, that leads to something below a folder. */
export function isInside(path: string): boolean {
  if (path === '' || path.includes('\0')) return false
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/** The text of an info file. */
export function formatInfo({
  path,
  deletedAt,
  userID,
  operation,
}: TrashInfo & { path: Buffer }): Buffer {
  const at = new Date(deletedAt)
  const local = new Date(deletedAt - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
  const lines = [
    '[Trash Info]',
    `Path=${escapePath(path)}`,
    `DeletionDate=${local}`,
    `X-FileBrowser-Time=${at.toISOString()}`,
    ...(userID === null ? [] : [`X-FileBrowser-Account=${userID}`]),
    ...(operation === null ? [] : [`X-FileBrowser-Operation=${operation}`]),
  ]
  return Buffer.from(`${lines.join('\n')}\n`)
}

/** Reads an info file, of anybody; null for what is none. Of keys that come twice the first counts. */
export function parseInfo(content: Buffer): TrashInfo | null {
  const [head, ...lines] = content.toString().split(/\r?\n/)
  if (head?.trim() !== '[Trash Info]') return null
  const values = new Map<string, string>()
  for (const line of lines) {
    const at = line.indexOf('=')
    const key = line.slice(0, Math.max(at, 0)).trim()
    if (at > 0 && !values.has(key)) values.set(key, line.slice(at + 1).trim())
  }
  const path = unescapePath(values.get('Path') ?? '')
  const exact = Date.parse(values.get('X-FileBrowser-Time') ?? '')
  const local = Date.parse(values.get('DeletionDate') ?? '')
  const account = values.get('X-FileBrowser-Account') ?? ''
  const operation = values.get('X-FileBrowser-Operation') ?? ''
  return {
    path: isInside(path.toString('latin1')) ? path : null,
    deletedAt: [exact, local].find((time) => Number.isFinite(time)) ?? 0,
    userID: /^\d{1,15}$/.test(account) ? Number(account) : null,
    operation: /^[\w-]{8,64}$/.test(operation) ? operation : null,
  }
}

/**
 * The name that a deleted entry gets in its trash: the id, and what fits of its own with its extension, so that no
 * two are the same.
 */
export function keptName(id: string, name: string): string {
  const room = MAX_NAME_BYTES - INFO_SUFFIX.length - id.length - 1
  if (Buffer.byteLength(name) <= room) return `${id}-${name}`
  const dot = name.lastIndexOf('.')
  const found = dot > 0 ? name.slice(dot) : ''
  const extension = Buffer.byteLength(found) <= 32 ? found : ''
  let start = ''
  let left = room - Buffer.byteLength(extension)
  for (const character of name) {
    left -= Buffer.byteLength(character)
    if (left < 0) break
    start += character
  }
  return `${id}-${start}${extension}`
}
