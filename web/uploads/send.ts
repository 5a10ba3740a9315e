// Sends one upload by whatever way fits it, and takes a lost session up again on the way.

import { currentToken, recoverSession } from '../api/client.ts'
import { fetchInfo } from '../api/files.ts'
import { plainUploadUrl, tusEndpoint } from '../api/uploads.ts'
import { boot } from '../lib/boot.ts'
import { renewSession } from '../state/session.ts'
import type { Send, SendEvents } from './queue.ts'
import { createPlainSend } from './send-plain.ts'
import { createTusSend } from './send-tus.ts'
import { UploadError, type UploadItem } from './upload-item.ts'

const plain = createPlainSend({
  url: (item) => plainUploadUrl(item.vpath, item.file === null, item.overwrite),
  headers: authHeaders,
})

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
    return info !== null && !info.isDir && info.size === item.file?.size
  },
})

/** The resumable protocol wherever it can be used; folders and odd pages take one plain request. */
const sendOnce: Send = (item, events, signal) => {
  const resumable = boot.TusSettings.chunkSize > 0 && /^https?:$/.test(location.protocol)
  return item.file === null || !resumable ? plain(item, events, signal) : tus(item, events, signal)
}

/** As `Send` says; a session that ends meanwhile is no failure as long as the person signs in again. */
export async function send(
  item: UploadItem,
  events: SendEvents,
  signal: AbortSignal,
): Promise<void> {
  const usedToken = currentToken()
  try {
    await sendOnce(item, events, signal)
  } catch (error) {
    const signedOut = error instanceof UploadError && error.code === 'unauthenticated'
    if (!signedOut || signal.aborted) throw error
    // The session ended: the person signs in again over the page, and the upload goes on.
    if (!(await recoverSession(usedToken))) throw error
    signal.throwIfAborted()
    await sendOnce(item, events, signal)
  }
}

function authHeaders(): Record<string, string> {
  return { 'X-Auth': currentToken() }
}
