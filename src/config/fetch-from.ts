// From where files may be fetched onto the server.
import { isIP } from 'node:net'
import { parseCsvLine } from './option-values.ts'

export interface FetchFrom {
  /** Any host whose addresses are of the public internet. */
  readonly isPublic: boolean
  readonly hosts: readonly AllowedHost[]
}

export interface AllowedHost {
  /** As in an address: lower case, without a dot at the end, IPv6 in brackets. */
  readonly name: string
  /** It stands for all hosts below it, and not for itself. */
  readonly isPattern: boolean
  /** Null for the usual ones. */
  readonly port: number | null
}

const MAX_HOSTS = 100

/**
 * `public`, names and addresses, separated by commas or blanks: `downloads.example.org`, `*.example.org`,
 * `nas.lan:8080`, `192.168.1.5`, `[fd00::5]:8443`. Null for nothing.
 */
export function parseFetchFrom(text: string): FetchFrom | null {
  const words = parseCsvLine(text).flatMap((field) => field.split(/\s+/).filter(Boolean))
  if (words.length === 0) return null
  if (words.length > MAX_HOSTS) throw new Error(`expected at most ${MAX_HOSTS} hosts`)
  const hosts = words.filter((word) => word !== 'public').map(parseHost)
  return Object.freeze({ isPublic: words.includes('public'), hosts: Object.freeze(hosts) })
}

function parseHost(text: string): AllowedHost {
  const [, wildcard = '', name = '', digits] =
    /^(\*\.)?(\[[^\]]+\]|[^\s:/?#@*\\[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = URL.parse(`http://${name}`)?.hostname.replace(/\.$/, '') ?? ''
  const port = digits === undefined ? null : Number(digits)
  const isPattern = wildcard !== ''
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0
  if (host === '' || (isPattern && isAddress) || port === 0 || (port ?? 0) > 65_535)
    throw new Error(`"${text}" is neither "public" nor a host such as downloads.example.org`)
  return Object.freeze({ name: host, isPattern, port })
}
