// The storage bar: how full the disk behind the open folder is. Hidden when unknown.

import { proxy } from 'valtio'
import type { Usage } from '../../src/api-types.ts'
import { getUsage } from '../api/files.ts'
import { boot } from '../lib/boot.ts'

export const usage = proxy({ current: null as Usage | null })

let folder = '/'
let request: AbortController | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** Shows the usage at `path`. Asked for a moment later, as people click through folders quickly. */
export function showUsageOf(path: string): void {
  folder = path
  refreshUsage()
}

/** Asks again, after files came or went. Calls in quick succession become one. */
export function refreshUsage(): void {
  if (boot.DisableUsedPercentage) return
  clearTimeout(timer)
  timer = setTimeout(() => void load(), 400)
}

async function load(): Promise<void> {
  request?.abort()
  request = new AbortController()
  const { signal } = request
  try {
    const answer = await getUsage(folder, signal)
    usage.current = answer.total > 0 ? answer : null
  } catch {
    // Asked anew: the figures stand until the next answer.
    if (signal.aborted) return
    // The bar is a comfort: without figures it is not shown, and nobody needs an error for that.
    usage.current = null
  }
}
