// Which addresses a file may be fetched from. A name is judged by what it resolves to, never by itself alone: whoever
// owns it may point it at this machine or its network.
import { BlockList, isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { AllowedHost, FetchFrom } from '../../config/fetch-from.ts'
import {
  GLOBAL_IPV6_BLOCK,
  HOME_BLOCKS,
  METADATA_ADDRESSES,
  SPECIAL_IPV4_BLOCKS,
  SPECIAL_IPV6_BLOCKS,
} from '../../lib/address-blocks.ts'
import { memo } from '../../lib/memo.ts'

/**
 * How far a host may reach: to the public internet, into the networks of houses and companies as well, or, where the
 * very address was listed, anywhere.
 */
export type Reach = 'public' | 'private' | 'any'

/** Below lies what speaks other languages than HTTP. */
const FIRST_FREE_PORT = 1024
const USUAL_PORTS = [80, 443]

/** How far the host of an address may reach; null for one that is not fetched from. Nothing is resolved. */
export function reachOf(url: URL, from: FetchFrom): Reach | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  if (url.username !== '' || url.password !== '') return null
  const name = url.hostname.replace(/\.$/, '')
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
  const fits = (host: AllowedHost) => isListed(host, name) && isOpenPort(port, host.port)
  const listed = from.hosts.filter(fits)
  if (listed.some(({ isPattern }) => !isPattern))
    return isIP(withoutBrackets(name)) === 0 ? 'private' : 'any'
  return listed.length > 0 || (from.isPublic && isOpenPort(port, null)) ? 'public' : null
}

function isListed(host: AllowedHost, name: string): boolean {
  return host.isPattern ? name.endsWith(`.${host.name}`) : name === host.name
}

function isOpenPort(port: number, listed: number | null): boolean {
  if (listed !== null) return port === listed
  return USUAL_PORTS.includes(port) || port >= FIRST_FREE_PORT
}

export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Whether a host of this reach may be at this address, which is no name. */
export function isWithinReach(address: string, reach: Reach): boolean {
  if (reach === 'any') return true
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  const isPrivate =
    blocksOf(HOME[family]).check(address, family) &&
    !blocksOf(METADATA_ADDRESSES).check(address, family)
  if (isPrivate) return reach === 'private' && !isOwn(address)
  return isPublic(address) && !isOwn(address)
}

function isPublic(address: string): boolean {
  if (isIPv4(address)) return !blocksOf(SPECIAL).check(address, 'ipv4')
  return blocksOf(GLOBAL).check(address, 'ipv6') && !blocksOf(SPECIAL).check(address, 'ipv6')
}

/** What listens on this machine may trust those who come from it. */
function isOwn(address: string): boolean {
  const own = new BlockList()
  for (const each of Object.values(networkInterfaces()).flat())
    if (each) own.addAddress(each.address, each.family === 'IPv4' ? 'ipv4' : 'ipv6')
  return own.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

const blocksOf = memo((texts: readonly string[]) => {
  const list = new BlockList()
  for (const text of texts) {
    const [net = '', bits] = text.split('/')
    list.addSubnet(net, Number(bits), isIPv4(net) ? 'ipv4' : 'ipv6')
  }
  return list
})

// Made at the first fetch. Apart, as a list takes an address of IPv4 in one of IPv6 for that.
const HOME = {
  ipv4: HOME_BLOCKS.filter((block) => !block.includes(':')),
  ipv6: HOME_BLOCKS.filter((block) => block.includes(':')),
}
const SPECIAL = [...SPECIAL_IPV4_BLOCKS, ...SPECIAL_IPV6_BLOCKS]
const GLOBAL = [GLOBAL_IPV6_BLOCK]
