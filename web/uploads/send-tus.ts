// Sends one file by the resumable protocol. The library is loaded with the first upload; the token
// is read for every request, so that an upload may outlive the token it began with.

import type { HttpRequest, HttpResponse, UploadOptions } from 'tus-js-client'
import type { ErrorCode } from '../../src/api-types.ts'
import { heldLock } from '../api/client.ts'
import type { SendEvents } from './queue.ts'
import { UploadError, type UploadFailureCode, type UploadItem } from './upload-item.ts'

export interface TusSettings {
  chunkSizeBytes: number
  /** Attempts after the first; 0 means none. */
  retryCount: number
}

interface TusDeps {
  settings: TusSettings
  /** Where an upload of this item is created, `override` included. */
  endpoint(item: UploadItem): string
  /** Headers of every request: the token of this moment. */
  headers(item: UploadItem): Record<string, string>
  /** The server answered and asks for a fresh token. */
  onRenewHint(): void
  /** Whether the server already holds the whole item under its name. */
  isComplete(item: UploadItem): Promise<boolean>
}

const MAX_RETRY_DELAY_MS = 20_000
const MIN_CHUNK_BYTES = 64 * 1024

/** No answer, the server is busy or broken, or a proxy is: worth another try. */
const RETRYABLE = new Set([0, 408, 423, 425, 429, 500, 502, 503, 504])
/** While sending data these mean that the server lost its place: ask it and go on from there. */
const RETRYABLE_PATCH = new Set([404, 409, 410])

const CODE_OF_STATUS: Record<number, ErrorCode> = {
  400: 'bad_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'exists',
  413: 'too_large',
  415: 'unsupported',
  423: 'locked',
  429: 'too_many_requests',
  507: 'no_space',
}

/** Pauses before the attempts: none, 1 s, then doubling up to 20 s. */
export function retryDelaysMs(retryCount: number): number[] {
  return Array.from({ length: Math.max(0, retryCount) }, (_, attempt) =>
    attempt === 0 ? 0 : Math.min(1000 * 2 ** (attempt - 1), MAX_RETRY_DELAY_MS),
  )
}

/** The status, 0 for none, and what it means to the queue. */
export function failureCode(
  status: number,
  errorCode: string | null | undefined,
): UploadFailureCode {
  if (status === 0) return 'network'
  // The same status means that the name is taken.
  if (errorCode === 'conflict') return 'conflict'
  if (errorCode === 'no_space' || errorCode === 'quota_exceeded') return errorCode
  return CODE_OF_STATUS[status] ?? 'internal'
}

/** Whether `status`, got by `method`, may pass by itself. */
export function isRetryable(status: number, method: string): boolean {
  return RETRYABLE.has(status) || (method === 'PATCH' && RETRYABLE_PATCH.has(status))
}

export function createTusSend(deps: TusDeps) {
  // A proxy that refuses a chunk refuses it for every file: what one learned, all keep.
  let chunkSizeBytes = deps.settings.chunkSizeBytes

  return async function sendByTus(
    item: UploadItem,
    events: SendEvents,
    signal: AbortSignal,
  ): Promise<void> {
    const file = item.file
    if (file === null) throw new UploadError('bad_request', 'a folder is not sent as a file')
    for (;;) {
      signal.throwIfAborted()
      const chunkBefore = chunkSizeBytes
      try {
        return await attempt(item, file, events, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (isDoneBefore(error)) return
        const { status, method } = answerOf(error)
        if (status === 413 && method === 'PATCH' && chunkBefore > MIN_CHUNK_BYTES) {
          chunkSizeBytes = Math.max(
            MIN_CHUNK_BYTES,
            Math.floor(Math.min(chunkBefore, file.size) / 2),
          )
          continue
        }
        // The answer to the last chunk was lost: the file is there, and the second attempt is
        // refused because of it.
        if (status === 409 && method === 'POST' && (await isDone(deps, item, file))) return
        throw await toUploadError(error, file)
      }
    }
  }

  async function attempt(
    item: UploadItem,
    file: File,
    events: SendEvents,
    signal: AbortSignal,
  ): Promise<void> {
    const { Upload } = await import('tus-js-client')
    signal.throwIfAborted()
    const creation = { underWay: false }
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(file, {
        endpoint: deps.endpoint(item),
        uploadUrl: item.uploadURL,
        uploadSize: file.size,
        chunkSize: chunkSizeBytes,
        retryDelays: retryDelaysMs(deps.settings.retryCount),
        // The journal remembers interrupted uploads; the library's own store would do so twice.
        storeFingerprintForResuming: false,
        ...hooksFor(deps, item, file, signal, creation),
        onUploadUrlAvailable() {
          if (upload.url !== null) events.onUploadURL(upload.url)
          if (signal.aborted) void upload.abort()
        },
        onProgress: (sentBytes) => events.onProgress(sentBytes),
        onSuccess: () => settle(resolve),
        onError: (error) => settle(() => reject(error)),
      })
      const onAbort = () => {
        // The server may hold an upload already: its answer says where, and nothing is sent after it.
        if (!creation.underWay) void upload.abort()
        settle(() => reject(signal.reason))
      }
      function settle(end: () => void) {
        signal.removeEventListener('abort', onAbort)
        end()
      }
      signal.addEventListener('abort', onAbort)
      upload.start()
    })
  }
}

/** Headers of each request, and what answers and failures mean for going on. */
function hooksFor(
  deps: TusDeps,
  item: UploadItem,
  file: File,
  signal: AbortSignal,
  creation: { underWay: boolean },
): Partial<UploadOptions> {
  return {
    onBeforeRequest(request) {
      creation.underWay = request.getMethod() === 'POST'
      for (const [name, value] of Object.entries(deps.headers(item))) {
        request.setHeader(name, value)
      }
      if (request.getMethod() === 'POST') {
        request.setHeader('X-Modified', String(file.lastModified))
      }
    },
    async onAfterResponse(request, response) {
      creation.underWay = false
      if (response.getHeader('X-Renew-Token') === 'true') deps.onRenewHint()
      if (isRefusedQuestion(request, response)) throw new RefusedQuestion(response)
      if (request.getMethod() === 'HEAD' && isLost(response) && (await isDone(deps, item, file))) {
        throw new DoneBefore()
      }
    },
    onShouldRetry(error) {
      creation.underWay = false
      if (signal.aborted || isDoneBefore(error)) return false
      const { status, method, lock } = answerOf(error)
      // Another program keeps the file for minutes.
      if (lock !== undefined) return false
      // Without any network there is nothing to try: the queue waits for its return instead.
      if (status === 0 && !navigator.onLine) return false
      return isRetryable(status, method)
    },
  }
}

/** All was sent before, the answer to it was lost, and the server has the file. */
async function isDone(deps: TusDeps, item: UploadItem, file: File): Promise<boolean> {
  return item.sentBytes >= file.size && (await deps.isComplete(item))
}

/** The server, or a proxy before it, did not say how much of an upload is there. */
class RefusedQuestion extends Error {
  readonly response: HttpResponse
  constructor(response: HttpResponse) {
    super(`the question for the offset was answered with ${response.getStatus()}`)
    this.response = response
  }
}

/**
 * The library takes every refusal of HEAD but 423 for a lost upload and begins it anew, and the server
 * then drops what it has. Only 404 and 410 say that it is lost.
 */
function isRefusedQuestion(request: HttpRequest, response: HttpResponse): boolean {
  const status = response.getStatus()
  const isAnswered = (status >= 200 && status < 300) || isLost(response)
  return request.getMethod() === 'HEAD' && !isAnswered
}

/** The server knows no such upload: it never did, gave it up, or completed it. */
function isLost(response: HttpResponse): boolean {
  return response.getStatus() === 404 || response.getStatus() === 410
}

/** Ends the library's way of going on: it would replace the file a second time. */
class DoneBefore extends Error {}

function isDoneBefore(error: unknown): boolean {
  return (error as Answered).causingError instanceof DoneBefore
}

interface Answered {
  originalRequest?: HttpRequest | null
  originalResponse?: HttpResponse | null
  causingError?: Error | null
}

function answerOf(error: unknown) {
  const { originalRequest, originalResponse, causingError } = error as Answered
  const response =
    causingError instanceof RefusedQuestion ? causingError.response : originalResponse
  return {
    status: response?.getStatus() ?? 0,
    method: originalRequest?.getMethod() ?? '',
    errorCode: response?.getHeader('X-Error-Code') ?? null,
    lock: heldLock((name) => response?.getHeader(name)),
  }
}

async function toUploadError(error: unknown, file: File): Promise<UploadError> {
  const { status, errorCode, lock } = answerOf(error)
  const message = error instanceof Error ? error.message : String(error)
  // Without an answer it is the network, or the file vanished or changed while it was being read.
  if (status === 0 && !(await isReadable(file))) {
    return new UploadError('unreadable', message, { cause: error })
  }
  return new UploadError(failureCode(status, errorCode), message, { cause: error, lock })
}

async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}
