// Sends one upload by whatever way fits it, and remembers which token was refused.

import { currentToken, heldLock, operationHeader } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { plainUploadUrl, tusEndpoint } from '../api/uploads.ts'
import { boot } from '../lib/boot.ts'
import { renewSession } from '../state/session.ts'
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
  async isComplete(item) {
    const info = await fetchInfo(item.vpath, new AbortController().signal).catch(() => null)
    if (info === null || info.isDir || info.size !== item.file?.size) return false
    // What is being replaced may be as long; the time is that of the file which replaces it.
    const apartMs = Math.abs(Date.parse(info.modified) - item.file.lastModified)
    return !item.overwrite || apartMs < TIME_STEP_MS
  },
})

/** The resumable protocol wherever it can be used; folders and odd pages take one plain request. */
const sendOnce: Send = (item, events, signal) => {
  const resumable = boot.TusSettings.chunkSize > 0 && /^https?:$/.test(location.protocol)
  return item.file === null || !resumable
    ? sendPlainly(item, events, signal)
    : tus(item, events, signal)
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
