// Sends one upload by whatever way fits it, and remembers which token was refused.

import { currentToken, heldLock, operationHeader } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { bundleUrl, plainUploadUrl, tusEndpoint } from '../api/uploads.ts'
import { boot } from '../lib/boot.ts'
import { renewSession } from '../state/session.ts'
import {
  BUNDLE_BYTES,
  type BundleRequest,
  createBundleSend,
  fitsBundle,
} from './bundle/send-bundle.ts'
import { TIME_STEP_MS } from './interrupted.ts'
import type { Send } from './queue.ts'
import { createTusSend, failureCode } from './send-tus.ts'
import { UploadError, type UploadItem } from './upload-item.ts'

/** The token that the latest request of each item carried. */
const usedTokens = new WeakMap<UploadItem, string>()
let refused = ''

const tus = createTusSend({
  settings: {
    chunkSizeBytes: boot.TusSettings.chunkSize,
    retryCount: boot.TusSettings.retryCount,
  },
  endpoint: (item) => new URL(tusEndpoint(item.vpath, item.overwrite), location.href).href,
  headers: authHeaders,
  onRenewHint: () => void renewSession(),
  isComplete: (item) => isComplete(item, item.overwrite),
})

const together = createBundleSend({
  post: postBundle,
  sendAlone: tus,
  isComplete: (item) => isComplete(item, true),
})

async function isComplete(item: UploadItem, byTime: boolean): Promise<boolean> {
  const info = await fetchInfo(item.vpath, new AbortController().signal).catch(() => null)
  if (info === null || info.isDir || info.size !== item.file?.size) return false
  // What is being replaced may be as long; the time is that of the file which replaces it.
  const apartMs = Math.abs(Date.parse(info.modified) - item.file.lastModified)
  return !byTime || apartMs < TIME_STEP_MS
}

/** XMLHttpRequest, as below: it tells of what was sent and of what is answered meanwhile. */
function postBundle(asked: BundleRequest): Promise<{ status: number; code: string }> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', bundleUrl(asked.folder, asked.overwrite))
    for (const item of asked.items) {
      for (const [name, value] of Object.entries(authHeaders(item)))
        if (item === asked.items[0]) request.setRequestHeader(name, value)
    }
    const onAbort = () => request.abort()
    asked.signal.addEventListener('abort', onAbort)
    request.upload.onprogress = ({ loaded }) => asked.onSent(loaded)
    const read = () => {
      if (request.status === 200) asked.onText(request.responseText)
    }
    request.onprogress = read
    request.onload = read
    request.onloadend = () => {
      asked.signal.removeEventListener('abort', onAbort)
      if (request.getResponseHeader('X-Renew-Token') === 'true') void renewSession()
      const code = request.getResponseHeader('X-Error-Code') ?? ''
      resolve({ status: request.status, code })
    }
    request.send(asked.body)
  })
}

/**
 * Together where the queue says so, else the resumable protocol wherever it can be used; folders and odd pages take one
 * plain request.
 */
const sendOnce: Send = (item, events, signal) => {
  if (item.file === null || !isResumable()) return sendPlainly(item, events, signal)
  return (events.isTogether ? together : tus)(item, events, signal)
}

function isResumable(): boolean {
  return boot.TusSettings.chunkSize > 0 && /^https?:$/.test(location.protocol)
}

/** Small files, and not where requests are to be smaller than a bundle. */
export function mayGoTogether(item: UploadItem): boolean {
  return isResumable() && boot.TusSettings.chunkSize >= BUNDLE_BYTES && fitsBundle(item)
}

/** The token that was refused last; '' before any was. */
export function refusedToken(): string {
  return refused
}

export const send: Send = async (item, events, signal) => {
  try {
    await sendOnce(item, events, signal)
  } catch (error) {
    if (error instanceof UploadError && error.code === 'unauthenticated')
      refused = usedTokens.get(item) ?? ''
    throw error
  }
}

/** A token may be renewed while a file is sent: each request has the one of its moment. */
function authHeaders(item: UploadItem): Record<string, string> {
  const token = currentToken()
  usedTokens.set(item, token)
  return { 'X-Auth': token, ...operationHeader(item.batchId) }
}

/**
 * Sends a folder, or a file where the resumable protocol cannot be used, by one request. XMLHttpRequest,
 * because fetch tells nothing of upload progress.
 */
const sendPlainly: Send = (item, events, signal) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', plainUploadUrl(item.vpath, item.file === null, item.overwrite))
    for (const [name, value] of Object.entries(authHeaders(item))) {
      request.setRequestHeader(name, value)
    }
    if (item.file !== null) {
      request.setRequestHeader('X-Modified', String(item.file.lastModified))
    }
    const onAbort = () => request.abort()
    signal.addEventListener('abort', onAbort)
    request.upload.onprogress = (event) => events.onProgress(event.loaded)
    request.onabort = () => reject(signal.reason)
    request.onerror = () => reject(new UploadError('network', 'no answer'))
    request.ontimeout = () => reject(new UploadError('timeout', 'no answer in time'))
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) return resolve()
      const code = failureCode(request.status, request.getResponseHeader('X-Error-Code'))
      const lock = heldLock((name) => request.getResponseHeader(name))
      reject(new UploadError(code, `${request.status} ${request.statusText}`, { lock }))
    }
    request.onloadend = () => signal.removeEventListener('abort', onAbort)
    request.send(item.file)
  })
