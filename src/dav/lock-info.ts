// Locks in requests and answers (RFC 4918 14, 15.8).
import { memo } from '../lib/memo.ts'
import { writeTree } from './proppatch.ts'
import { badXml, childrenOf, escapeXml, isDav, type XmlElement } from './xml.ts'

export interface WantedLock {
  isExclusive: boolean
  /** What the client says of its owner, as XML of an element `owner`; empty for nothing. */
  ownerXml: string
}

/** A lock as it is told to a client. */
export interface ToldLock extends WantedLock {
  isDeep: boolean
  /** Null for whoever it does not belong to. */
  token: string | null
  secondsLeft: number
  /** The address that was locked; null where that is outside of what the client sees. */
  root: string | null
}

export const MAX_OWNER_BYTES = 1024
export const MAX_LOCK_SECONDS = 3_600

/** Reads the body of a LOCK. Throws `bad_request`. Clients send the same one again and again. */
export const readLockInfo = memo((root: XmlElement): WantedLock => {
  if (!isDav(root, 'lockinfo')) throw badXml('lockinfo is expected')
  const [scope] = childrenOf(root, 'lockscope').flatMap((each) => childrenOf(each))
  const [type] = childrenOf(root, 'locktype').flatMap((each) => childrenOf(each))
  const isExclusive = scope !== undefined && isDav(scope, 'exclusive')
  if (!isExclusive && !(scope && isDav(scope, 'shared')))
    throw badXml('exclusive or shared is expected')
  if (!type || !isDav(type, 'write')) throw badXml('a lock for writing is expected')
  const [owner] = childrenOf(root, 'owner')
  const ownerXml = owner ? writeTree(owner) : ''
  if (Buffer.byteLength(ownerXml) > MAX_OWNER_BYTES) throw badXml('the owner is too long')
  return { isExclusive, ownerXml }
})

/** The first of the wanted times that can be read, an hour at most and where none is. */
export function secondsOf(timeout: string | undefined): number {
  for (const part of (timeout ?? '').split(',')) {
    const [, seconds] = /^\s*Second-(\d+)\s*$/i.exec(part) ?? []
    if (seconds !== undefined) return Math.min(MAX_LOCK_SECONDS, Math.max(1, Number(seconds)))
    if (/^\s*Infinite\s*$/i.test(part)) return MAX_LOCK_SECONDS
  }
  return MAX_LOCK_SECONDS
}

/** The content of `lockdiscovery`. */
export function writeLocks(locks: readonly ToldLock[]): string {
  return locks.map(writeLock).join('')
}

function writeLock({ isExclusive, ownerXml, isDeep, token, secondsLeft, root }: ToldLock): string {
  const href = (address: string) => `<D:href>${escapeXml(address)}</D:href>`
  return [
    '<D:activelock><D:locktype><D:write/></D:locktype>',
    `<D:lockscope><D:${isExclusive ? 'exclusive' : 'shared'}/></D:lockscope>`,
    `<D:depth>${isDeep ? 'infinity' : '0'}</D:depth>`,
    ownerXml,
    `<D:timeout>Second-${secondsLeft}</D:timeout>`,
    token === null ? '' : `<D:locktoken>${href(token)}</D:locktoken>`,
    root === null ? '' : `<D:lockroot>${href(root)}</D:lockroot>`,
    '</D:activelock>',
  ].join('')
}

/** The content of `supportedlock`. */
export const SUPPORTED_LOCKS = ['exclusive', 'shared']
  .map(
    (scope) =>
      `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`,
  )
  .join('')
