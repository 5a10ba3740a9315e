// From an address of WebDAV to a path in the tree of the account, and back.
import { hrefOf } from '../../dav/multistatus.ts'
import { type Ctx, signedIn } from '../../http/context.ts'
import { AppError } from '../../lib/errors.ts'
import {
  baseName,
  isWithin,
  joinVPath,
  parentOf,
  ROOT,
  rebase,
  type VPath,
} from '../../lib/vpath.ts'

/** What `/dav/` is: the tree, or the folder of the token. */
export function topOf(c: Ctx): VPath {
  const principal = signedIn(c)
  return principal.kind === 'token' ? ((principal.user as { folder?: VPath }).folder ?? ROOT) : ROOT
}

/** The path that an address means. Throws `forbidden` where it names the tree of another account. */
export async function addressOf(c: Ctx, vpath: VPath): Promise<VPath> {
  const { user } = signedIn(c)
  const username = c.env.target.dav?.username ?? null
  if (username !== null && username !== user.username)
    throw new AppError('forbidden', `the address names the tree of ${username}`)
  return await spelled(c, rebase(topOf(c), vpath))
}

/** The address of a path, as the client names the tree. */
export function hrefTo(c: Ctx, vpath: VPath, isFolder: boolean): string {
  const top = topOf(c)
  const path = top !== ROOT && isWithin(top, vpath) ? vpath.slice(top.length) || '/' : vpath
  return hrefOf(c.env.target.dav?.mount ?? '', path, isFolder)
}

/** True for what `/dav/` itself is: it stays where it is. */
export function isTop(c: Ctx, vpath: VPath): boolean {
  return vpath === topOf(c)
}

// Macs send names decomposed: what differs in that alone is one name, and a new one is composed.
async function spelled(c: Ctx, vpath: VPath): Promise<VPath> {
  if (isAscii(vpath)) return vpath
  const exists = (path: VPath) =>
    c
      .get('scope')
      .exists(path)
      .catch(() => false)
  for (const path of [vpath, vpath.normalize('NFC'), vpath.normalize('NFD')] as VPath[])
    if (await exists(path)) return path
  const parent = await spelled(c, parentOf(vpath))
  const name = baseName(vpath)
  for (const form of ['NFC', 'NFD']) {
    const path = joinVPath(parent, name.normalize(form))
    if (await exists(path)) return path
  }
  return joinVPath(parent, name.normalize('NFC'))
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text)
}
