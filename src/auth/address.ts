// Which peers are believed: addresses and CIDR blocks, and the client address behind them.
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { memo } from '../lib/memo.ts'

/** True for loopback peers and unix sockets (no address). */
export function isLoopback(address: string): boolean {
  const plain = unmap(address)
  return plain === '' || plain === '::1' || plain.startsWith('127.')
}

/** True when `address` lies in one of the addresses or CIDR blocks. */
function isInBlocks(address: string, blocks: readonly string[]): boolean {
  const plain = unmap(address)
  const version = isIP(plain)
  return version !== 0 && blockList(blocks).check(plain, version === 6 ? 'ipv6' : 'ipv4')
}

/**
 * True when what a peer says of others counts: a forwarded address, a scheme, a user's name. Those are
 * the proxies the administrator named, and this machine as long as none was named (CVE-2026-54089). An
 * empty list believes nobody. A unix socket (no address) is this machine: a list must hold loopback.
 */
export function isBelieved(peer: string, trustedProxies: readonly string[] | null): boolean {
  if (trustedProxies === null) return isLoopback(peer)
  return isInBlocks(peer === '' ? '127.0.0.1' : peer, trustedProxies)
}

/**
 * The client's address: the last one in `X-Forwarded-For` that is not itself a believed proxy,
 * when the peer is believed.
 */
export function forwardedAddress(
  peer: string,
  headers: IncomingHttpHeaders,
  trustedProxies: readonly string[] | null,
): string {
  const forwarded = headers['x-forwarded-for'] ?? headers['x-real-ip']
  if (forwarded === undefined || !isBelieved(peer, trustedProxies)) return unmap(peer)
  const chain = [forwarded]
    .flat()
    .join(',')
    .split(',')
    .map((part) => unmap(part.trim()))
    .filter((part) => isIP(part) !== 0)
  for (let i = chain.length - 1; i >= 0; i--) {
    const address = chain[i] as string
    if (i === 0 || !isBelieved(address, trustedProxies)) return address
  }
  return unmap(peer)
}

/**
 * What guesses are counted by: an IPv4 address, or the first half of an IPv6 address, since everybody
 * who has one has the 2^64 that share it.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.replace(/%.*/, '').split('::')
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'))
  const front = groupsOf(head)
  const back = groupsOf(tail ?? '')
  const between = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0')
  const groups = [...front, ...between, ...back].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

const blockList = memo((blocks: readonly string[]) => {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits] = block.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
})

// A dual-stack socket shows IPv4 peers as ::ffff:a.b.c.d.
function unmap(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
