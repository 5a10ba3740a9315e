// Files from other programs: shared by one (share target), or opened with this one (file handler). Both are
// uploaded into a folder that the person chooses.

import { isInstalled, SHARED_CACHE } from '../lib/page/installed.ts'
import { openPrompt } from '../operations/prompts.ts'
import { addFiles } from '../uploads/entry.ts'

interface LaunchQueue {
  setConsumer(consumer: (launch: { files?: readonly FileSystemFileHandle[] }) => void): void
}

/** Call when somebody has signed in: takes what was shared, and listens for what is opened from now on. */
export async function takeIncoming(): Promise<void> {
  const { launchQueue } = globalThis as { launchQueue?: LaunchQueue }
  launchQueue?.setConsumer(({ files = [] }) => {
    void Promise.all(files.map((handle) => handle.getFile())).then(upload)
  })
  if (isInstalled()) await navigator.locks.request(SHARED_CACHE, uploadShared)
}

/**
 * Uploads what the service worker has put aside, which stays there until somebody has said where to: a page that
 * is left before is asked again. One window at a time asks.
 */
async function uploadShared(): Promise<void> {
  const cache = await caches.open(SHARED_CACHE)
  const requests = await cache.keys()
  await upload(await Promise.all(requests.map((request) => sharedFile(cache, request))))
  await Promise.all(requests.map((request) => cache.delete(request)))
}

async function sharedFile(cache: Cache, request: Request): Promise<File> {
  const response = (await cache.match(request)) as Response
  const name = decodeURIComponent(response.headers.get('X-Name') ?? '')
  const lastModified = Number(response.headers.get('X-Modified'))
  const type = response.headers.get('Content-Type') ?? ''
  return new File([await response.blob()], name || 'file', { type, lastModified })
}

async function upload(files: readonly File[]): Promise<void> {
  if (files.length === 0) return
  const folder = await openPrompt('transfer', { kind: 'choose', items: [], folder: '/' })
  if (folder !== null) await addFiles(files, folder)
}
