// The names of temporary files. Only what has exactly such a name is hidden, and removed some day: a
// file of somebody's own may begin like one.

/** How they begin. The rest is a UUID, or what an upload has to know; see `declaredIn`. */
export const TEMP_PREFIX = '.fb-tmp-'

/** The folder in which old contents of files are kept. */
export const VERSIONS_NAME = '.fb-versions'

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
// Without an account they are from version 3.0.0. With several nodes the last part makes each upload another file: what a
// node writes late that was thought dead must not land in a new one.
const UPLOAD = 'up-([0-9a-f]{32}(?:-u\\d{1,10})?)-(\\d{1,16})-([rn])-(\\d{0,16})(?:-[0-9a-f]{8})?'
// Parts of a file, see transfer/parts-file.ts; with several nodes the last part is of one of them.
const PARTS = 'parts-[0-9a-f]{32}-u\\d{1,10}(?:-[0-9a-f]{8})?'
const NAME = `\\.fb-tmp-(?:${UUID}|${UPLOAD}|${PARTS})`
const WHOLE = new RegExp(`^${NAME}$`)
// By any spelling, since some disks ignore case.
const SEGMENT = new RegExp(`/${NAME}(?:/|$)`, 'i')

/** True for the name of a temporary file. */
export function isTempName(name: string): boolean {
  return name.startsWith(TEMP_PREFIX) && WHOLE.test(name)
}

/** How the rest of the name begins of a file that collects parts. */
export const PARTS_LABEL = 'parts-'

/** True for the name of a temporary file that collects the parts of one. */
export function isPartsName(name: string): boolean {
  return name.startsWith(TEMP_PREFIX + PARTS_LABEL) && isTempName(name)
}

/** True for a path through something with such a name. */
export function leadsToTemp(vpath: string): boolean {
  return vpath.includes('/.') && SEGMENT.test(vpath)
}

/** What an upload was declared with. */
export interface Declared {
  lengthBytes: number
  /** True when an existing target is to be replaced. */
  replace: boolean
  /** Modification time to give the finished file, or null. */
  mtimeMs: number | null
}

/** An upload by the name of its temporary file. */
export interface NamedUpload extends Declared {
  /** The target as a hash, and the account. */
  key: string
}

/** What the name of an upload's temporary file tells; null for other temporary files. */
export function declaredIn(name: string): NamedUpload | null {
  const [, key, length, replace, mtime] = WHOLE.exec(name) ?? []
  if (key === undefined) return null
  return {
    key,
    lengthBytes: Number(length),
    replace: replace === 'r',
    mtimeMs: mtime ? Number(mtime) : null,
  }
}
