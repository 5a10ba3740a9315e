// A notification of the system when a long upload has ended and nobody looks at the page. The person is asked
// while one runs, and once.

import { plural } from '@lingui/core/macro'
import { instanceName } from '../lib/boot.ts'
import { isInstalled } from '../lib/page/installed.ts'
import { storage } from '../lib/storage.ts'

const WANTED = 'fb-notify-uploads'
/** People wait for what ends sooner. */
const LONG_S = 30

let isLong = false

/** Whether to offer it: a long upload is under way, and this browser can tell but was not asked. */
export function offersNotification(secondsLeft: number | null): boolean {
  return secondsLeft !== null && secondsLeft >= LONG_S && canNotify() && !isWanted()
}

/** Asks for permission. False when it was not given. Call it inside a click handler. */
export async function askToNotify(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  storage.set(WANTED, '1')
  return true
}

/** Call while uploads run. */
export function noteTimeLeft(secondsLeft: number | null): void {
  isLong ||= (secondsLeft ?? 0) >= LONG_S
}

/** Call when they have ended. */
export async function notifyEnd(done: number, failed: number): Promise<void> {
  const wasLong = isLong
  isLong = false
  if (!wasLong || document.visibilityState === 'visible' || !canNotify() || !isWanted()) return
  const text =
    failed > 0
      ? plural(failed, { one: '# upload failed', other: '# uploads failed' })
      : uploadedText(done)
  const options = { body: instanceName, tag: 'uploads' }
  const registration = isInstalled() ? await navigator.serviceWorker.getRegistration() : undefined
  if (registration) await registration.showNotification(text, options)
  else new Notification(text, options).onclick = () => window.focus()
}

export function uploadedText(done: number): string {
  return plural(done, { one: '# file uploaded', other: '# files uploaded' })
}

function isWanted(): boolean {
  return storage.get(WANTED) === '1' && Notification.permission === 'granted'
}

// Chromium on Android has notifications of service workers only.
function canNotify(): boolean {
  if (!('Notification' in globalThis) || !globalThis.isSecureContext) return false
  if (Notification.permission === 'denied') return false
  return isInstalled() || !navigator.userAgent.includes('Android')
}
