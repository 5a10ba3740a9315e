// How full the disk under the open folder is. Asked for on every change of folder and after changes,
// in the background; when the server does not say, the bar is simply not there.

import { proxy } from 'valtio'
import type { Usage } from '../../src/api-types.ts'
import { callJson } from '../api/client.ts'
import { encodePath, ROOT } from '../lib/paths.ts'
import { boot } from './boot.ts'

const SETTLE_MS = 300

export const usage = proxy({
  /** Bytes; both 0 while unknown. */
  used: 0,
  total: 0,
})

let folder = ROOT
let request: AbortController | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** Asks for the disk that holds `vpath`. Never rejects. */
export async function loadUsage(vpath: string): Promise<void> {
  if (boot.DisableUsedPercentage) return
  folder = vpath
  request?.abort()
  const controller = new AbortController()
  request = controller
  try {
    const path = vpath === ROOT ? '/' : `${encodePath(vpath)}/`
    const { used, total } = await callJson<Usage>(`/usage${path}`, { signal: controller.signal })
    usage.used = used
    usage.total = total
  } catch {
    if (controller.signal.aborted) return
    // A bar with an old figure would be wrong and an error would be noise.
    usage.used = 0
    usage.total = 0
  }
}

/** Something was added or deleted: asks again once things have settled. */
export function refreshUsage(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void loadUsage(folder), SETTLE_MS)
}
