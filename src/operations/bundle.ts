// Many small files in one body, as a tar: each becomes a file as by an upload of its own. Small ones are read
// into memory and put in place several at a time, since most of their time is the disk's; others stream.
import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import type { Extract, Header } from 'tar-stream'
import { segmentsOf } from '../files/extract/names.ts'
import { ArrivedBody } from '../files/transfer/receive.ts'
import { AppError, badRequest, clientGone, isAbort } from '../lib/errors.ts'
import { type VPath, vpathOf } from '../lib/vpath.ts'
import { type Actor, requireRight } from './actor.ts'
import { createFile, makeFolder } from './write.ts'

/** Read into memory as a whole. */
const SMALL_BYTES = 1024 * 1024
/** Put in place at the same time: they share the waiting for the disk. */
const MAX_TOGETHER = 16
/** Of those, and what is being read besides. */
const MAX_HELD_BYTES = 4 * SMALL_BYTES
/** What a bundle takes of the memory at most. */
export const BUNDLE_BYTES = MAX_HELD_BYTES + SMALL_BYTES

/** What has become of an entry. */
export interface Landed {
  /** As the bundle has it. */
  name: string
  /** Where it was to go; null for a name that leads nowhere. */
  vpath: VPath | null
  kind: 'file' | 'folder'
  bytes: number
  failure: unknown
}

interface BundleOptions {
  replace: boolean
  /** Told of each entry as soon as it is in place, or refused; waited for before the next is begun. */
  onLanded(landed: Landed): Promise<void>
}

/**
 * Writes what a tar holds below a folder, with the right to create. What is refused is told and the rest goes on, but
 * after the end of the caller's session. Throws `damaged` (400) for what is no tar or ends too early, and rejects when the client goes:
 * each file has come whole by then, or not at all.
 */
export async function receiveBundle(
  actor: Actor,
  folder: VPath,
  source: Readable,
  { replace, onLanded }: BundleOptions,
): Promise<void> {
  requireRight(actor, 'create')
  const { extract } = await import('tar-stream')
  const tar = feed(source, extract())
  const underWay = new Map<string, { bytes: number; done: Promise<void> }>()
  let isSignedOut = false
  const settle = async (landed: Omit<Landed, 'failure'>, work: () => Promise<unknown>) => {
    const failure = await work().then(
      () => undefined,
      (error: unknown) => error ?? new Error('failed'),
    )
    if (isAbort(failure)) throw failure
    if (failure instanceof AppError && failure.code === 'unauthenticated') isSignedOut = true
    await onLanded({ ...landed, failure })
  }
  try {
    for await (const content of tar) {
      const { name, vpath, kind, mtimeMs, sizeBytes } = readHeader(content.header, folder)
      const landed = { name, vpath, kind, bytes: sizeBytes } as const
      const key = vpath?.toLowerCase() ?? ''
      const options = { replace }
      if (vpath === null || kind === 'other') {
        await discard(content)
        await settle({ ...landed, kind: 'file' }, () => Promise.reject(refusal(kind, name)))
      } else if (kind === 'folder') {
        await discard(content)
        await settle({ ...landed, kind }, () => makeFolder(actor, vpath))
      } else if (sizeBytes > SMALL_BYTES) {
        await Promise.all([...underWay.values()].map(({ done }) => done))
        await settle({ ...landed, kind }, () =>
          streamed(content, (stream) =>
            createFile(actor, vpath, { stream, sizeBytes, mtimeMs }, options),
          ),
        )
      } else {
        const bytes = await wholeOf(content, sizeBytes)
        // Of two of one name the second is judged by what the first has made.
        await underWay.get(key)?.done
        await makeRoom(underWay, sizeBytes)
        const stream = new ArrivedBody(bytes)
        const done = settle({ ...landed, kind }, () =>
          createFile(actor, vpath, { stream, sizeBytes, mtimeMs }, options),
        ).finally(() => underWay.delete(key))
        // Whoever waits for it learns how it ended.
        done.catch(() => {})
        underWay.set(key, { bytes: sizeBytes, done })
      }
      if (isSignedOut) break
    }
  } catch (error) {
    throw source.destroyed && !source.readableEnded ? clientGone() : damaged(error)
  } finally {
    tar.destroy()
    await Promise.allSettled([...underWay.values()].map(({ done }) => done))
  }
}

/** Unlike pipe: the end of a connection ends the reader, too. */
function feed(source: Readable, tar: Extract): Extract {
  const leave = () => {
    if (!source.readableEnded) tar.destroy(clientGone())
  }
  source.once('close', leave).once('error', leave)
  source.pipe(tar as unknown as NodeJS.WritableStream)
  tar.once('close', () => source.off('close', leave).off('error', leave).unpipe())
  return tar
}

type Content = AsyncIterable<unknown>
type Kind = 'file' | 'folder' | 'other'

function readHeader({ name, type, size, mtime, pax }: Header, folder: VPath) {
  const segments = segmentsOf(name)
  const facts = (pax ?? {}) as Record<string, string>
  const isSparse = Object.keys(facts).some((key) => key.startsWith('GNU.sparse.'))
  const kinds: Record<string, Kind> = {
    file: 'file',
    'contiguous-file': 'file',
    directory: 'folder',
  }
  const kind = isSparse ? 'other' : (kinds[type ?? ''] ?? 'other')
  const mtimeMs = facts.mtime === undefined ? mtime?.getTime() : Number(facts.mtime) * 1000
  return {
    name,
    kind: kind === 'file' && name.endsWith('/') ? ('folder' as const) : kind,
    // Nothing but a name is left of a file that is called like the folder itself.
    vpath:
      segments === null || (kind === 'file' && segments.length === 0)
        ? null
        : vpathOf(folder, ...segments),
    sizeBytes: kind === 'file' ? (size ?? 0) : 0,
    ...(Number.isFinite(mtimeMs) && { mtimeMs: Math.round(mtimeMs as number) }),
  }
}

function refusal(kind: Kind, name: string): AppError {
  if (kind === 'other') return new AppError('unsupported', `${name} is neither file nor folder`)
  return new AppError('invalid_name', `${name} leads out of the folder`, { status: 400 })
}

async function makeRoom(
  underWay: ReadonlyMap<string, { bytes: number; done: Promise<void> }>,
  bytes: number,
): Promise<void> {
  for (;;) {
    const running = [...underWay.values()]
    const heldBytes = running.reduce((sum, one) => sum + one.bytes, bytes)
    if (running.length < MAX_TOGETHER && heldBytes <= MAX_HELD_BYTES) return
    await Promise.race(running.map(({ done }) => done))
  }
}

async function wholeOf(content: Content, sizeBytes: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let filled = 0
  for await (const chunk of content) filled += (chunk as Buffer).copy(bytes, filled)
  if (filled < sizeBytes) throw new Error('it ends amid a file')
  return bytes
}

async function discard(content: Content): Promise<void> {
  for await (const _ of content) {
    // What belongs to it is passed over.
  }
}

/** Destroying the entry would end the whole tar: what is not wanted of it is passed over. */
async function streamed<T>(content: Content, work: (stream: Readable) => Promise<T>): Promise<T> {
  const stream = new PassThrough()
  stream.on('error', () => {})
  const isGone = once(stream, 'close').catch(() => {})
  const pumping = (async () => {
    for await (const chunk of content) {
      if (!stream.destroyed && !stream.write(chunk))
        await Promise.race([once(stream, 'drain').catch(() => {}), isGone])
    }
    stream.end()
  })()
  // Only the whole file may look complete.
  pumping.catch((error: Error) => stream.destroy(error))
  try {
    return await work(stream)
  } finally {
    stream.destroy()
    await pumping
  }
}

function damaged(error: unknown): unknown {
  if (error instanceof AppError || isAbort(error)) return error
  return badRequest(`the bundle is no tar, or damaged: ${(error as Error).message}`, 'damaged')
}
