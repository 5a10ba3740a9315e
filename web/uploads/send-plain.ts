// Sends a folder, or a file where the resumable protocol cannot be used, by one request.
// XMLHttpRequest, because fetch tells nothing of upload progress.

import type { SendEvents } from './queue.ts'
import { failureCode } from './send-tus.ts'
import { UploadError, type UploadItem } from './upload-item.ts'

interface PlainDeps {
  /** The address of the item; a folder's ends in a slash. */
  url(item: UploadItem): string
  headers(item: UploadItem): Record<string, string>
}

export function createPlainSend(deps: PlainDeps) {
  return function sendPlainly(
    item: UploadItem,
    events: SendEvents,
    signal: AbortSignal,
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open('POST', deps.url(item))
      for (const [name, value] of Object.entries(deps.headers(item))) {
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
        reject(new UploadError(code, `${request.status} ${request.statusText}`))
      }
      request.onloadend = () => signal.removeEventListener('abort', onAbort)
      request.send(item.file)
    })
  }
}
