// Short messages at the bottom. A success goes by itself, an error stays until it is dismissed.

import { proxy, ref } from 'valtio'
import { isAbort } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { announce } from '../lib/page/announce.ts'

interface ToastAction {
  label: string
  run: () => void
}

export interface Toast {
  id: number
  tone: 'ok' | 'info' | 'bad'
  text: string
  action: ToastAction | null
  /** Where what was done can be seen; before the action, which stays when it was chosen. */
  show: ToastAction | null
  /** How long it stays, in ms; 0 until it is dismissed. */
  lifeMs: number
  /** Failed calls offer to be reported. */
  report: boolean
}

interface ToastOptions {
  /** One button, such as Undo. It closes the toast. */
  action?: ToastAction
  show?: ToastAction | undefined
  lifeMs?: number
  report?: boolean
}

const MOST = 10
const SUCCESS_MS = 4000
const UNDO_MS = 10_000

export const toasts = proxy({ list: [] as Toast[] })

let lastId = 0

function show(tone: Toast['tone'], text: string, options: ToastOptions): number {
  const id = ++lastId
  const offers = options.action ?? options.show
  const lifeMs = options.lifeMs ?? (tone === 'bad' ? 0 : offers ? UNDO_MS : SUCCESS_MS)
  const action = options.action ? ref(options.action) : null
  const where = options.show ? ref(options.show) : null
  const report = options.report ?? false
  toasts.list.unshift({ id, tone, text, action, show: where, lifeMs, report })
  toasts.list.splice(MOST)
  announce(text, tone === 'bad')
  return id
}

/** Something was done. With an action (Undo) it stays longer. The text is already translated. */
export function toastSuccess(text: string, options: ToastOptions = {}): number {
  return show('ok', text, options)
}

/** Something goes otherwise than one might expect. The text is already translated. */
export function toastInfo(text: string): number {
  return show('info', text, { lifeMs: UNDO_MS })
}

/**
 * Something failed: a translated text, or a thrown value, which is put in words. An aborted call is
 * nothing to tell and gives no toast.
 */
export function toastError(problem: unknown, options: ToastOptions = {}): number {
  if (isAbort(problem)) return 0
  if (typeof problem === 'string') return show('bad', problem, options)
  return show('bad', messageOf(problem), { report: true, ...options })
}

/** Goes where a toast leads to. What it offers besides stays, for as long as at first. */
export function followToast(id: number): void {
  const toast = toasts.list.find((one) => one.id === id)
  const way = toast?.show
  if (!toast || !way) return
  if (toast.action) toast.show = null
  else dismissToast(id)
  way.run()
}

/** Does what a toast offers, and closes it. */
export function takeToast(id: number): void {
  const action = toasts.list.find((one) => one.id === id)?.action
  dismissToast(id)
  action?.run()
}

export function dismissToast(id: number): void {
  const at = toasts.list.findIndex((toast) => toast.id === id)
  if (at >= 0) toasts.list.splice(at, 1)
}
