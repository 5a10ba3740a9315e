// Real temporary folders. The default content is awkward on purpose: names that break naive code.
import { closeSync, mkdirSync, openSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Content of a tree: text or bytes for a file, null for a folder, `{ link }` for a symbolic link. */
export type TreeContent = Record<string, string | Uint8Array | null | { link: string }>

export interface Tree extends AsyncDisposable {
  /** The folder to serve. */
  root: string
  /** A folder beside the root that nothing served may reach; holds `secret.txt`. */
  outside: string
  /** Parent of both; database, cache and the like go here. */
  base: string
  /** Host path of an entry of the root. */
  at(name: string): string
  read(name: string): Promise<string>
  add(content: TreeContent): Promise<void>
}

export const SECRET = 'the secret outside of the served folder'

/** Both spellings of the same visible name: composed and decomposed. */
export const COMPOSED = 'caf\u00e9.txt'
export const DECOMPOSED = 'cafe\u0301.txt'

/** File names that have broken file managers before. */
export const AWKWARD_NAMES = [
  'plain.txt',
  'with space.txt',
  'new\nline.txt',
  'emoji 😀.txt',
  '100%.txt',
  '%41.txt',
  'hash#tag.txt',
  'question?.txt',
  'a&b=c+d.txt',
  'semi;colon,comma.txt',
  `quote'"quote.txt`,
  'back\\slash.txt',
  '<b>bold<b>.txt',
  '..two-dots.txt',
  '.hidden.txt',
  '-dash.txt',
  'tab\there.txt',
  'trailing space ',
  'עברית.txt',
  COMPOSED,
  DECOMPOSED,
] as const

/** A smaller place in memory is left to what else needs it, such as browsers. */
const MEMORY_BYTES = 4 * 1024 ** 3

/** A folder in memory for temporary trees; null where the system has none with room. */
export function memoryFolder(): string | null {
  const folder = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= MEMORY_BYTES ? folder : null
  } catch {
    return null
  }
}

/**
 * Makes a temporary tree; without `content` the awkward one: every name of AWKWARD_NAMES, a folder
 * `folder` with `inner.txt`, links inside (`link-inside`), outside (`link-outside`) and nowhere
 * (`link-dangling`). Its root is `place` where that is given; all else is made in `parent`. Dispose it with
 * `await using`.
 */
export async function makeTree(
  content?: TreeContent,
  place?: string,
  parent = tmpdir(),
): Promise<Tree> {
  const base = await mkdtemp(join(parent, 'filebrowser-test-'))
  const root = place ?? join(base, 'root')
  const outside = join(base, 'outside')
  await mkdir(root)
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), SECRET)
  const tree: Tree = {
    root,
    outside,
    base,
    at: (name) => join(root, name),
    read: (name) => readFile(join(root, name), 'utf8'),
    add: (more) => addContent(root, more),
    async [Symbol.asyncDispose]() {
      for (const folder of [root, base]) {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 })
      }
    },
  }
  await tree.add(content ?? awkwardContent(outside))
  return tree
}

/**
 * Makes a chain of folders of one name below a folder, with `content` in the last one. By open folders,
 * as its path may be too long for the system. Linux only.
 */
export function makeChain(
  top: string,
  { name: folder, depth }: { name: string; depth: number },
  content: Record<string, string | { link: string }>,
): void {
  let fd = openSync(top, 'r')
  for (let level = 0; level < depth; level++) {
    mkdirSync(`/proc/self/fd/${fd}/${folder}`)
    const child = openSync(`/proc/self/fd/${fd}/${folder}`, 'r')
    closeSync(fd)
    fd = child
  }
  for (const [name, value] of Object.entries(content)) {
    const file = `/proc/self/fd/${fd}/${name}`
    if (typeof value === 'string') writeFileSync(file, value)
    else symlinkSync(value.link, file)
  }
  closeSync(fd)
}

/** Sets the modification time of an entry, so that answers can be compared literally. */
export async function setModified(file: string, iso: string): Promise<void> {
  await utimes(file, new Date(iso), new Date(iso))
}

function awkwardContent(outside: string): TreeContent {
  return {
    ...Object.fromEntries(AWKWARD_NAMES.map((name) => [name, `content of ${name}`])),
    'folder/inner.txt': 'inner',
    'folder/deeper/deep.txt': 'deep',
    empty: null,
    'link-inside': { link: 'folder/inner.txt' },
    'link-outside': { link: join(outside, 'secret.txt') },
    'link-dangling': { link: 'nowhere' },
  }
}

async function addContent(root: string, content: TreeContent): Promise<void> {
  for (const [name, value] of Object.entries(content)) {
    const file = join(root, name)
    await mkdir(value === null ? file : dirname(file), { recursive: true })
    if (value === null) continue
    if (typeof value === 'object' && 'link' in value) await symlink(value.link, file)
    else await writeFile(file, value)
  }
}
