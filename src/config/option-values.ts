// Parsers for option values: text to a typed value, or an Error that says what was expected. Who
// calls them adds where the text came from.

import { readFileSync } from 'node:fs'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'
import type { BootSettings } from '../api-types.ts'
import { LOOPBACK_BLOCKS, PRIVATE_BLOCKS } from '../lib/address-blocks.ts'

const TRUE_WORDS = ['1', 't', 'T', 'true', 'TRUE', 'True']
const FALSE_WORDS = ['0', 'f', 'F', 'false', 'FALSE', 'False']

/** The original's words only; anything else is an error, never silently false. */
export function parseBoolean(text: string): boolean {
  if (TRUE_WORDS.includes(text)) return true
  if (FALSE_WORDS.includes(text)) return false
  throw new Error('expected true or false')
}

/** A whole number with an optional base prefix (`0x`, `0o`, leading `0` = octal, `0b`) and `_`. */
export function parseInteger(text: string): number {
  const match = /^([+-]?)(0[xX]|0[oO]|0[bB]|0(?=[\d_]))?_?([\da-fA-F]+(?:_[\da-fA-F]+)*)$/.exec(
    text,
  )
  const base = baseOf(match?.[2])
  const digits = (match?.[3] ?? '').replaceAll('_', '')
  if (!match || !DIGITS[base]?.test(digits)) throw new Error('expected a whole number')
  const value = Number.parseInt(digits, base)
  if (!Number.isSafeInteger(value)) throw new Error('the number is too large')
  return match[1] === '-' && value !== 0 ? -value : value
}

const DIGITS: Record<number, RegExp> = {
  2: /^[01]+$/,
  8: /^[0-7]+$/,
  10: /^\d+$/,
  16: /^[\da-fA-F]+$/,
}

function baseOf(prefix: string | undefined): number {
  if (prefix === undefined) return 10
  return { x: 16, o: 8, b: 2 }[prefix.slice(1).toLowerCase()] ?? 8
}

/** Returns a parser for whole numbers from `min` to `max`, both inclusive. */
export function integerBetween(min: number, max = Number.MAX_SAFE_INTEGER) {
  return function parseBounded(text: string): number {
    const value = parseInteger(text)
    if (value < min) throw new Error(`must be ${min} or more`)
    if (value > max) throw new Error(`must be ${max} or less`)
    return value
  }
}

/** Which deletions go into the trash. */
export function parseTrash(text: string): BootSettings['Trash'] {
  if (text === 'all' || text === 'own' || text === 'off') return text
  throw new Error('expected all, own or off')
}

/** Permission bits: 0 to 0o7777. */
export const parseMode = integerBetween(0, 0o7777)

/** A port number from a number or a service name; empty means that the system chooses, as 0 does. */
export function parsePort(text: string): number {
  if (text === '') return 0
  const port = /^\d+$/.test(text) ? Number(text) : servicePort(text)
  if (port === undefined || port > 65_535)
    throw new Error('expected a port from 0 to 65535 or the name of a service')
  return port
}

const WELL_KNOWN: Record<string, number> = { http: 80, https: 443, 'http-alt': 8080 }

function servicePort(name: string): number | undefined {
  if (WELL_KNOWN[name] !== undefined) return WELL_KNOWN[name]
  let services: string
  try {
    services = readFileSync('/etc/services', 'utf8')
  } catch {
    // Bare containers and Windows have no such file.
    return undefined
  }
  for (const line of services.split('\n')) {
    const [first, port = '', ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (!port.endsWith('/tcp')) continue
    if (first === name || aliases.includes(name)) return Number.parseInt(port, 10)
  }
  return undefined
}

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** As in the original, which counts nanoseconds in 63 bits: some 292 years. */
const MAX_DURATION_MS = Math.floor(2 ** 63 / 1e6)

/** Milliseconds of `2h30m`, `1.5s`, `30d` …: units ns us ms s m h as in the original, and d. */
export function parseDuration(text: string): number {
  // Escaped, as what is not ASCII in the bundle would double what its text takes of the memory.
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d)/g)]
  const whole = parts.map(([part]) => part).join('')
  if (parts.length === 0 || (whole !== text && `+${whole}` !== text)) {
    if (text === '0') return 0
    throw new Error('expected a duration such as 90s, 2h30m or 7d')
  }
  const ms = parts.reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? ''] ?? 0),
    0,
  )
  if (ms > MAX_DURATION_MS) throw new Error('the duration is too long')
  return ms
}

/** Longer ones do not fit into a timer, and nobody waits an hour for a stop. */
const MAX_DRAIN_MS = 3_600_000

/** How long something at a stop may take. */
export function parseDrain(text: string): number {
  const ms = parseDuration(text)
  if (ms > MAX_DRAIN_MS) throw new Error('must be 1h or less')
  return ms
}

/** A duration that is longer than nothing. */
export function parsePositiveDuration(text: string): number {
  const ms = parseDuration(text)
  if (ms <= 0) throw new Error('must be longer than 0')
  return ms
}

const SIZE_UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1000 ** 4,
  tib: 1024 ** 4,
}

/** Bytes of `500MB`, `1GiB`, `64k` or a plain number. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([a-zA-Z]*)$/.exec(text)
  const factor = SIZE_UNITS[(match?.[2] ?? '').toLowerCase()]
  if (!match || factor === undefined) throw new Error('expected a size such as 500MB or 1GiB')
  const bytes = Math.floor(Number(match[1]) * factor)
  if (!Number.isSafeInteger(bytes)) throw new Error('the size is too large')
  return bytes
}

/** Of each disk, or bytes. */
export type KeepSize = { readonly percent: number } | { readonly bytes: number }

/** `10%` of a disk, or a size as in parseSize. */
export function parseKeepSize(text: string): KeepSize {
  const percent = /^(\d{1,3}(?:\.\d+)?)\s*%$/.exec(text)?.[1]
  if (percent === undefined) return { bytes: parseSize(text) }
  if (Number(percent) > 100) throw new Error('must be 100% or less')
  return { percent: Number(percent) }
}

/** Returns a parser for which empty text means nothing: null. */
export function orEmpty<T>(parse: (text: string) => T) {
  return (text: string): T | null => (text === '' ? null : parse(text))
}

/** Returns a parser that leaves good text as it is. */
export function textOf(parse: (text: string) => unknown) {
  return (text: string): string => {
    parse(text)
    return text
  }
}

/** At least 64 kB, for what is kept in pieces. */
export function parsePieceSize(text: string): number {
  const bytes = parseSize(text)
  if (bytes < 64_000) throw new Error('must be 64kB or more')
  return bytes
}

/** One line of comma separated values; double quotes protect commas, `""` is a quote inside. */
export function parseCsvLine(text: string): string[] {
  if (text === '') return []
  const out: string[] = []
  const field = /"((?:[^"]|"")*)"(?=,|$)|([^",]*)(?=,|$)/y
  let at = 0
  for (;;) {
    field.lastIndex = at
    const match = field.exec(text)
    if (!match) throw new Error('expected comma separated values, with closed quotes')
    out.push(match[1] === undefined ? (match[2] ?? '') : match[1].replaceAll('""', '"'))
    at = field.lastIndex
    if (at >= text.length) return out
    at += 1
  }
}

/** Folders by name: `photos=/mnt/photos,docs=/mnt/docs`. */
export function parseRoots(text: string): Readonly<Record<string, string>> {
  const roots = parseCsvLine(text).map((field): [string, string] => {
    const [, name, folder] = /^\s*([a-z0-9-]{1,32})=(.+)$/s.exec(field) ?? []
    if (name === undefined || folder === undefined)
      throw new Error(
        `"${field}" is no name of lower case letters, digits and hyphens, and a folder: photos=/mnt/photos`,
      )
    return [name, folder]
  })
  const names = roots.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`the name ${twice} occurs twice`)
  return Object.freeze(Object.fromEntries(roots))
}

/** Failed sign-ins allowed within a window before answers become 429; `attempts` 0 turns it off. */
export interface RateLimit {
  readonly attempts: number
  readonly windowMs: number
}

/** `10/15m`: attempts per window; `0` switches the limit off. */
export function parseRateLimit(text: string): RateLimit {
  if (text === '0') return { attempts: 0, windowMs: 0 }
  const [attempts, window, ...rest] = text.split('/')
  if (!attempts || !window || rest.length > 0)
    throw new Error('expected attempts/duration such as 10/15m, or 0 for no limit')
  return {
    attempts: integerBetween(1, 1_000_000)(attempts),
    windowMs: parsePositiveDuration(window),
  }
}

const NAMED_BLOCKS: Record<string, readonly string[]> = {
  loopback: LOOPBACK_BLOCKS,
  private: PRIVATE_BLOCKS,
}

/** Where something else than the interface is served. */
export interface ListenAddress {
  readonly address: string
  readonly port: number
}

/** `127.0.0.1:9100`, `[::1]:9100` or `localhost:9100`, on this machine or in a private network; empty is null. */
export function parsePrivateListener(text: string): ListenAddress | null {
  if (text === '') return null
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? []
  const named = bracketed ?? plain ?? ''
  const address = named === 'localhost' ? '127.0.0.1' : named
  if (isIP(address) === 0 || (isIPv6(address) && bracketed === undefined))
    throw new Error('expected an address and a port such as 127.0.0.1:9100')
  const blocks = new BlockList()
  for (const block of [...LOOPBACK_BLOCKS, ...PRIVATE_BLOCKS]) {
    const [net = '', bits] = block.split('/')
    blocks.addSubnet(net, Number(bits), isIPv6(net) ? 'ipv6' : 'ipv4')
  }
  if (!blocks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4'))
    throw new Error('nobody signs in there, so it must be a loopback or a private address')
  return { address, port: parsePort(digits) }
}

/** Addresses and CIDR blocks; the words `loopback` and `private` are replaced by their blocks. */
export function parseProxyList(entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    const text = entry.trim()
    const named = NAMED_BLOCKS[text]
    if (named) return named
    if (isAddressBlock(text)) return [text]
    throw new Error(`"${text}" is no address, CIDR block, "loopback" or "private"`)
  })
}

function isAddressBlock(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  if (rest.length > 0 || isIP(address) === 0) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128))
  )
}

/** Names of environment variables, separated by commas: `TZ,RCLONE_CONFIG`. */
export function parseVariableNames(text: string): string[] {
  const names = parseCsvLine(text).map((name) => name.trim())
  for (const name of names)
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new Error(`"${name}" is no name of a variable`)
  return names
}

/** Host names without port, separated by commas or blanks, in lower case. */
export function parseHosts(text: string): string[] {
  const names = parseCsvLine(text).flatMap((field) => field.split(/\s+/).filter(Boolean))
  return names.map((name) => {
    const url = URL.parse(`http://${name}`)
    if (!url || /[/?#@:]/.test(name)) throw new Error(`"${name}" is no host name`)
    return url.hostname.replace(/\.$/, '')
  })
}

/** An origin without a path (`https://content.example.org`), or empty. */
export function parseOrigin(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    !/^\/?$/.test(url.pathname + url.search + url.hash)
  ) {
    throw new Error('expected an origin such as https://files.example.org')
  }
  return url.origin
}

/** So many fit into a header that proxies let through. */
const MAX_SOURCES = 50

/**
 * Origins for a Content-Security-Policy, separated by commas or blanks: `https://home.example`,
 * `http://nas.lan:8123`, `https://*.example.org`. Nothing else of CSP's source list (W3C CSP3, 2.3.1):
 * no `*`, no bare scheme, no path, so that a value adds neither a directive nor the whole web.
 */
export function parseSources(text: string): string[] {
  const entries = parseCsvLine(text).flatMap((field) => field.split(/\s+/).filter(Boolean))
  if (entries.length > MAX_SOURCES) throw new Error(`expected at most ${MAX_SOURCES} origins`)
  return [...new Set(entries.map(parseSource))]
}

function parseSource(text: string): string {
  const [, scheme = '', wildcard = '', host = ''] =
    /^(https?:\/\/)(\*\.)?([^\s\u0000-\u001f*;,'"/?#@\\[\]]+)\/?$/i.exec(text) ?? []
  const url = URL.parse(scheme + host)
  // A wildcard stands for the hosts of one owner, not for those of a whole top-level domain.
  if (
    !url ||
    host === '' ||
    (wildcard !== '' && !/^[^.]*[a-z][^.]*(\.[^.]+)+$/.test(url.hostname))
  ) {
    throw new Error(`"${text}" is no origin such as https://home.example or https://*.example.org`)
  }
  return `${url.protocol}//${wildcard}${url.host}`
}

/** An http(s) or mailto address, or empty. */
export function parseLink(text: string): string {
  if (text === '') return ''
  const url = URL.parse(text)
  if (!url || !/^(https?|mailto):$/.test(url.protocol)) throw new Error('expected a web address')
  return text
}

/** Returns a parser that admits the listed words only. */
export function oneOf<T extends string>(...words: readonly T[]) {
  return function parseWord(text: string): T {
    const found = words.find((word) => word === text)
    if (found === undefined) throw new Error(`expected one of: ${words.join(', ')}`)
    return found
  }
}

/** `FB_` + the key split at capitals and dots: `baseURL` gives `FB_BASE_URL`. */
export function envNameOf(key: string): string {
  return `FB_${key
    .replaceAll('.', '_')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toUpperCase()}`
}
