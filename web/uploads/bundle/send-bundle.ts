// Sends small files together: what is to be sent at one moment goes in a few requests, each a tar, and
// is done file by file as the server confirms it. What a broken one has not confirmed goes into the next.

import type { Send, SendEvents } from '../queue.ts'
import { failureCode, isRetryable } from '../send-tus.ts'
import { UploadError, type UploadItem } from '../upload-item.ts'
import { TAR_END, tarHead, tarPad } from './tar.ts'

/** The server reads files up to this size whole. */
const SMALL_BYTES = 1024 * 1024
/** One is on its way while the other is answered. */
const MAX_BUNDLES = 2
const MAX_FILES = 128
/** Contents in one request at most. */
export const BUNDLE_BYTES = 3 * 1024 * 1024
const MIN_BYTES = 64 * 1024
/** Requests at a time for what goes alone after all. */
const MAX_ALONE = 5
/** They mean each file by itself, so nothing is gained by asking again for every one. */
const FOR_ALL = new Set([0, 401, 403, 507])

export interface BundleRequest {
  folder: string
  overwrite: boolean
  items: readonly UploadItem[]
  body: Blob
  onSent(bytes: number): void
  /** All that has been answered so far. */
  onText(text: string): void
  signal: AbortSignal
}

interface BundleAnswer {
  /** 0 for none. */
  status: number
  code: string
}

interface BundleDeps {
  /** Never rejects. */
  post(request: BundleRequest): Promise<BundleAnswer>
  sendAlone: Send
  /** Whether the server already holds the item under its name, of this size and time. */
  isComplete(item: UploadItem): Promise<boolean>
}

interface Part {
  item: UploadItem
  file: File
  events: SendEvents
  signal: AbortSignal
  resolve(): void
  reject(reason: unknown): void
}

interface Bundle {
  parts: Set<Part>
  controller: AbortController
}

/** A line of an answer; without a name it speaks of all that follow. */
interface Line {
  name?: string
  status: number
  code?: string
}

/** Small files with names that archives can have. */
export function fitsBundle({ file, vpath, uploadURL }: UploadItem): boolean {
  if (file === null || file.size > SMALL_BYTES || uploadURL !== null) return false
  return vpath.isWellFormed() && !/[\\:\0]/.test(vpath)
}

interface Sending {
  deps: BundleDeps
  waiting: Part[]
  running: Set<Bundle>
  /** What a proxy was seen to let through. */
  maxBytes: number
  isPlanned: boolean
}

/** Items that are sent in one moment go together where they belong to one upload. */
export function createBundleSend(deps: BundleDeps): Send {
  const sending: Sending = {
    deps,
    waiting: [],
    running: new Set(),
    maxBytes: BUNDLE_BYTES,
    isPlanned: false,
  }
  return (item, events, signal) =>
    new Promise<void>((resolve, reject) => {
      const { file } = item
      if (file === null) return reject(new UploadError('bad_request', 'a folder is not a file'))
      const onAbort = () => {
        leave(sending, part)
        end(() => reject(signal.reason))
      }
      const end = (act: () => void) => {
        signal.removeEventListener('abort', onAbort)
        act()
      }
      const part: Part = {
        ...{ item, file, events, signal },
        resolve: () => end(resolve),
        reject: (reason) => end(() => reject(reason)),
      }
      signal.addEventListener('abort', onAbort)
      sending.waiting.push(part)
      plan(sending)
    })
}

function leave(sending: Sending, part: Part): void {
  sending.waiting = sending.waiting.filter((one) => one !== part)
  for (const bundle of sending.running) if (bundle.parts.delete(part)) bundle.controller.abort()
}

function plan(sending: Sending): void {
  if (sending.isPlanned) return
  sending.isPlanned = true
  // The queue hands over one after the other.
  queueMicrotask(() => {
    sending.isPlanned = false
    const { running } = sending
    while (running.size < MAX_BUNDLES && sending.waiting.length > 0)
      void run(sending, takeBundle(sending))
  })
}

function takeBundle(sending: Sending): Bundle {
  const parts = new Set<Part>()
  const [first] = sending.waiting
  const isAlike = ({ item }: Part) =>
    item.batchId === first?.item.batchId && item.overwrite === first.item.overwrite
  let bytes = 0
  sending.waiting = sending.waiting.filter((part) => {
    const fits = parts.size < MAX_FILES && bytes + part.file.size <= sending.maxBytes
    if (part !== first && !(isAlike(part) && fits)) return true
    parts.add(part)
    bytes += part.file.size
    return false
  })
  return { parts, controller: new AbortController() }
}

async function run(sending: Sending, bundle: Bundle): Promise<void> {
  sending.running.add(bundle)
  try {
    const contents = await readAll(bundle)
    // Somebody may have left it: the others go with the next.
    if (bundle.controller.signal.aborted) sending.waiting.unshift(...bundle.parts)
    else if (contents.size > 0) await post(sending, bundle, contents)
  } finally {
    sending.running.delete(bundle)
    plan(sending)
  }
}

async function post(
  sending: Sending,
  bundle: Bundle,
  contents: ReadonlyMap<Part, ArrayBuffer>,
): Promise<void> {
  const { body, names, folder, starts } = pack(contents)
  const items = [...contents.keys()].map(({ item }) => item)
  const settling: Promise<void>[] = []
  const { signal } = bundle.controller
  let readTo = 0
  let ofAll: Line | null = null
  const hear = (line: Line) => {
    const part = names.get(line.name ?? '')
    if (line.name === undefined) ofAll = line
    else if (part && bundle.parts.delete(part)) settling.push(settle(sending, part, line))
  }
  const answer = await sending.deps.post({
    ...{ folder, body, items, signal },
    overwrite: items[0]?.overwrite ?? false,
    onSent: (bytes) => {
      for (const part of bundle.parts) part.events.onProgress(bytes - (starts.get(part) ?? 0))
    },
    onText: (text) => {
      const end = text.lastIndexOf('\n') + 1
      for (const line of linesOf(text.slice(readTo, end))) hear(line)
      readTo = Math.max(readTo, end)
    },
  })
  await Promise.all(settling)
  const { parts } = bundle
  if (signal.aborted) sending.waiting.unshift(...parts)
  else if (parts.size > 0)
    await goOn(sending, [...parts], parts.size < items.length, ofAll ?? answer)
}

/** What becomes of those that have no answer. */
async function goOn(
  sending: Sending,
  parts: Part[],
  areFewer: boolean,
  { status, code }: { status: number; code?: string },
): Promise<void> {
  const isBroken = status >= 200 && status < 300
  if (isBroken && areFewer) {
    sending.waiting.unshift(...parts)
  } else if (isBroken || FOR_ALL.has(status)) {
    const failure = failureCode(isBroken ? 0 : status, code)
    for (const { reject } of parts) reject(new UploadError(failure, `a bundle: ${status}`))
  } else {
    if (status === 413) sending.maxBytes = Math.max(MIN_BYTES, sending.maxBytes / 2)
    const work = async () => {
      for (let part = parts.shift(); part !== undefined; part = parts.shift())
        await sendAlone(sending, part)
    }
    await Promise.all(Array.from({ length: MAX_ALONE }, work))
  }
}

async function settle(sending: Sending, part: Part, { status, code }: Line): Promise<void> {
  if (status >= 200 && status < 300) return part.resolve()
  const { isComplete } = sending.deps
  // It was sent before and the answer was lost, even to the page: browsers repeat a request by themselves.
  if (status === 409 && (await isComplete(part.item))) return part.resolve()
  if (status !== 507 && isRetryable(status, 'POST')) return sendAlone(sending, part)
  part.reject(new UploadError(failureCode(status, code), `${status} in a bundle`))
}

function sendAlone({ deps }: Sending, part: Part): Promise<void> {
  const { item, events, signal } = part
  return deps.sendAlone(item, events, signal).then(part.resolve, part.reject)
}

/** The contents of all that can be read; the others are told so and leave. */
async function readAll({ parts }: Bundle): Promise<Map<Part, ArrayBuffer>> {
  const contents = new Map<Part, ArrayBuffer>()
  const read = async (part: Part) => {
    try {
      contents.set(part, await part.file.arrayBuffer())
    } catch (error) {
      parts.delete(part)
      part.reject(new UploadError('unreadable', String(error), { cause: error }))
    }
  }
  await Promise.all([...parts].map(read))
  return contents
}

function pack(contents: ReadonlyMap<Part, ArrayBuffer>) {
  const folder = commonFolder([...contents.keys()].map(({ item }) => item.vpath))
  const names = new Map<string, Part>()
  const starts = new Map<Part, number>()
  const pieces: BlobPart[] = []
  let bytes = 0
  const add = (piece: ArrayBuffer | Uint8Array) => {
    pieces.push(piece as BlobPart)
    bytes += piece.byteLength
  }
  for (const [part, content] of contents) {
    const name = part.item.vpath.slice(folder.length)
    names.set(name, part)
    add(tarHead(name, content.byteLength, part.file.lastModified))
    starts.set(part, bytes)
    add(content)
    add(tarPad(content.byteLength))
  }
  add(TAR_END)
  return { body: new Blob(pieces, { type: 'application/x-tar' }), names, starts, folder }
}

/** The deepest folder above all, with a slash at its end. */
function commonFolder([first = '/', ...paths]: string[]): string {
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  for (const path of paths) {
    while (!path.startsWith(folder))
      folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  }
  return folder
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}
