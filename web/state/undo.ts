// The last things done that can be taken back: a toast offers each for ten seconds, or for as long as
// somebody points at it. Ctrl+Z takes back the newest while its toast shows.

import { t } from '@lingui/core/macro'
import { dismissToast, toastError, toastSuccess, toasts } from './toasts.ts'

interface Offer {
  toastId: number
  undo: () => Promise<void>
}

const offers: Offer[] = []

/** Tells that something was done, with a way back. `text` is already translated. */
export function offerUndo(text: string, undo: () => Promise<void>): void {
  const offer: Offer = { toastId: 0, undo }
  offer.toastId = toastSuccess(text, { action: { label: t`Undo`, run: () => void run(offer) } })
  offers.push(offer)
  if (offers.length > 10) offers.shift()
}

export function canUndo(): boolean {
  const newest = offers.at(-1)
  return newest !== undefined && toasts.list.some((toast) => toast.id === newest.toastId)
}

/** Takes back the newest thing done, if its time is not over. */
export async function undoLast(): Promise<void> {
  const offer = offers.at(-1)
  if (offer === undefined || !canUndo()) return
  dismissToast(offer.toastId)
  await run(offer)
}

async function run(offer: Offer): Promise<void> {
  const at = offers.indexOf(offer)
  if (at < 0) return
  offers.splice(at, 1)
  try {
    await offer.undo()
  } catch (error) {
    toastError(error)
  }
}
