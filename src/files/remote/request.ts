// A file of another server, asked for by HTTP: each host is judged by what it resolves to, and connected to at that very
// address, so that a name cannot mean something else by then.
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { isIP, isIPv4, type LookupFunction } from 'node:net'
import type { FetchFrom } from '../../config/fetch-from.ts'
import { AppError } from '../../lib/errors.ts'
import { VERSION } from '../../lib/version.ts'
import { isWithinReach, reachOf, withoutBrackets } from './reach.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Without a byte, from the begin of the connection on. */
const SILENCE_MS = 60_000
/** A server that gives less in so long is as good as one that has gone; all that comes before the file has as long. */
const PACE: Pace = { minBytes: 60 * 1024, withinMs: 60_000 }

export interface Pace {
  minBytes: number
  withinMs: number
}

export interface RemoteFile {
  /** The answer, which is to be read to its end or destroyed. */
  body: IncomingMessage
  /** The address that has given it, behind all redirects. */
  url: URL
  /** Of the whole file; null where the server does not say. */
  sizeBytes: number | null
  /** Where the body begins in the file. */
  offsetBytes: number
  /** Names this content, so that a rest can be asked for; null where the server gives no rests. */
  validator: string | null
  /** Content-Disposition. */
  disposition: string | undefined
}

export interface RemoteOptions {
  from: FetchFrom
  /** What has come: the rest is asked for, as long as the content is the same. */
  rest?: { offsetBytes: number; validator: string } | undefined
  signal: AbortSignal
  /** All addresses of a name. Rejects where there are none. */
  resolve?: Resolve
  pace?: Pace
}

export type Resolve = (name: string) => Promise<readonly string[]>

/**
 * Asks for a file. Throws `fetch_failed` whatever the cause is, so that nobody learns by it what answers in the network
 * of the server: an address that may not be fetched from, no connection, another answer than the file.
 */
export async function requestRemote(start: URL, options: RemoteOptions): Promise<RemoteFile> {
  let url = start
  for (let hop = 0; ; hop++) {
    const body = await ask(url, options)
    const { statusCode = 0, headers } = body
    // All of it has come, or nothing of it is there any more.
    if (statusCode === 416 && options.rest) {
      body.destroy()
      return requestRemote(start, { ...options, rest: undefined })
    }
    if (!REDIRECTS.includes(statusCode)) {
      const file = fileIn(body, url, options)
      keepPace(body, options.pace ?? PACE)
      return file
    }
    body.destroy()
    const next = URL.parse(headers.location ?? '', url)
    if (hop === MAX_REDIRECTS || !next) throw failed(`${url.host} redirects without end`)
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw failed(`${url.host} redirects to what is not encrypted`)
    url = next
  }
}

/** The one message for all that goes wrong; the reason is for the log. */
export function failed(reason: string, cause?: unknown): AppError {
  return new AppError('fetch_failed', reason, { cause })
}

async function ask(
  url: URL,
  { from, rest, signal, resolve = resolveAll, pace = PACE }: RemoteOptions,
): Promise<IncomingMessage> {
  const addresses = await judged(url, from, resolve)
  signal.throwIfAborted()
  const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>()
  const request = (url.protocol === 'https:' ? requestTls : requestPlain)(url, {
    // A connection of its own, and none of the proxies that variables name.
    agent: false,
    lookup: pinnedTo(addresses),
    signal,
    timeout: SILENCE_MS,
    headers: {
      'User-Agent': `filebrowser/${VERSION}`,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      Connection: 'close',
      ...(rest && { Range: `bytes=${rest.offsetBytes}-`, 'If-Range': rest.validator }),
    },
  })
  request.on('timeout', () => request.destroy(new Error('silence')))
  const late = setTimeout(() => request.destroy(new Error('no answer')), pace.withinMs)
  request.on('error', reject)
  request.on('response', answer)
  // Node tells of nothing else when the answer is another protocol.
  request.on('close', () => reject(new Error('no answer')))
  request.end()
  try {
    return await promise
  } catch (error) {
    signal.throwIfAborted()
    throw failed(`${url.host} does not answer`, error)
  } finally {
    clearTimeout(late)
  }
}

/** Breaks off what comes byte by byte, though never silent for long. */
function keepPace(body: IncomingMessage, { minBytes, withinMs }: Pace): void {
  const { socket } = body
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const { bytesRead } = socket
    // While the disk is behind some waits to be read.
    if (body.readableLength === 0 && bytesRead - before < minBytes)
      body.destroy(new Error('too slow'))
    before = bytesRead
  }, withinMs).unref()
  body.once('close', () => clearInterval(timer))
}

/** The addresses of a host that it may be connected to at. */
async function judged(url: URL, from: FetchFrom, resolve: Resolve): Promise<readonly string[]> {
  const reach = reachOf(url, from)
  if (!reach) throw failed(`nothing is fetched from ${url.host}`)
  const host = withoutBrackets(url.hostname)
  const all = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  const good = all.filter((address) => isIP(address) !== 0 && isWithinReach(address, reach))
  if (good.length === 0) throw failed(`${url.host} has no address that is fetched from`)
  return good
}

async function resolveAll(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/** Answers with these addresses, whatever the name. */
export function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }))
  return (_name, { all: wantsAll }, answer) => {
    const [first] = all
    if (wantsAll) answer(null, all)
    else answer(null, first?.address ?? '', first?.family)
  }
}

function fileIn(body: IncomingMessage, url: URL, { rest }: RemoteOptions): RemoteFile {
  const { statusCode, headers } = body
  const refuse = (reason: string): never => {
    body.destroy()
    throw failed(`${url.host} ${reason}`)
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
    refuse('packs what it was asked for as it is')
  const etag = headers.etag?.startsWith('"') ? headers.etag : undefined
  const validator = etag ?? strongDate(headers['last-modified'], headers.date) ?? null
  const base = { body, url, disposition: headers['content-disposition'] }
  if (statusCode === 206 && rest) {
    const [, first, last, whole] =
      /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16}|\*)$/.exec(headers['content-range'] ?? '') ?? []
    if (Number(first) !== rest.offsetBytes) refuse('gives another part')
    const sizeBytes = whole === '*' ? null : Number(whole)
    if (sizeBytes !== null && Number(last) !== sizeBytes - 1) refuse('gives another part')
    return { ...base, sizeBytes, offsetBytes: rest.offsetBytes, validator: rest.validator }
  }
  if (statusCode !== 200) refuse(`answers with ${statusCode}`)
  const length = headers['content-length']
  const sizeBytes = length === undefined ? null : Number(length)
  return { ...base, sizeBytes, offsetBytes: 0, validator }
}

/** A file may change twice in the second that its time has (RFC 9110, 8.8.2.2). */
function strongDate(modified: string | undefined, date: string | undefined): string | undefined {
  const ageMs = Date.parse(date ?? '') - Date.parse(modified ?? '')
  return ageMs >= 60_000 ? modified : undefined
}
