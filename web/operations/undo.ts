// The last things done that can be taken back: a toast offers each for ten seconds, or for as long as
// somebody points at it; uploads are offered by their panel. Ctrl+Z takes back the newest that is offered.

import { t } from '@lingui/core/macro'
import { dismissToast, toastError, toastSuccess, toasts } from './toasts.ts'

interface Offer {
  isShown(): boolean
  /** Puts away what offers it. */
  hide(): void
  undo(): Promise<unknown>
}

const offers: Offer[] = []

/** So long Ctrl+Z waits for what is under way. */
const UNDER_WAY_MS = 5000

/** What is seen as done before the server has done it. */
const underWay = new Set<Promise<void>>()
/** Presses of Ctrl+Z take one offer each, in their order. */
let lastPress: Promise<unknown> = Promise.resolve()

/**
 * Something is seen as done that the server has yet to do: until it is told, Ctrl+Z waits rather than take back what
 * was done before it. Call the result once it is told, be it as done or as failed.
 */
export function expectUndo(): () => void {
  let end = () => {}
  const told = new Promise<void>((resolve) => {
    end = resolve
  })
  underWay.add(told)
  const ended = () => {
    underWay.delete(told)
    end()
  }
  setTimeout(ended, UNDER_WAY_MS)
  return ended
}

/**
 * Tells that something was done, with a way back and, where it is to be seen elsewhere, a way there; gives the
 * toast's id. `text` is already translated.
 */
export function offerUndo(text: string, undo: () => Promise<unknown>, show?: () => void): number {
  const id = toastSuccess(text, {
    action: { label: t`Undo`, run: () => void run(offer) },
    ...showing(show),
  })
  const isShown = () => toasts.list.some((toast) => toast.id === id)
  const offer: Offer = { isShown, hide: () => dismissToast(id), undo }
  offerUndoIn(offer)
  return id
}

/** For what is told elsewhere than in a toast. */
export function offerUndoIn(offer: Offer): void {
  // What an offer keeps in mind goes with what offers it.
  const gone = offers.filter((older) => !older.isShown())
  for (const older of gone) offers.splice(offers.indexOf(older), 1)
  offers.push(offer)
}

/** The part of a toast that leads to what was done. */
export function showing(show: (() => void) | undefined) {
  return { show: show && { label: t({ message: 'Show', context: 'in its folder' }), run: show } }
}

/** The same for what the server remembers by the name of its operation; `folders` are listed anew, then `after` runs. */
export function offerTakeBack(
  text: string,
  operation: string,
  folders: readonly string[],
  show?: () => void,
  after?: () => Promise<void>,
): number {
  const undo = async () => {
    const { takeBack } = await import('./undo-record.ts')
    if (await takeBack(operation, folders)) await after?.()
  }
  return offerUndo(text, undo, show)
}

export function canUndo(): boolean {
  return underWay.size > 0 || newestOffer() !== undefined
}

/** The newest whose time is not over and that was not dismissed. */
function newestOffer(): Offer | undefined {
  return offers.findLast((offer) => offer.isShown())
}

/** Takes back the newest thing done that is still offered. */
export async function undoLast(): Promise<void> {
  const press = lastPress.then(takeNewest)
  lastPress = press
  const offer = await press
  if (offer === undefined) return
  const ended = attempt(offer)
  offer.hide()
  await ended
}

async function takeNewest(): Promise<Offer | undefined> {
  const before = newestOffer()
  const waits = underWay.size > 0
  await Promise.all(underWay)
  const offer = newestOffer()
  // What was meant has failed, which was told.
  if (waits && offer === before) return undefined
  return offer !== undefined && take(offer) ? offer : undefined
}

async function run(offer: Offer): Promise<void> {
  if (take(offer)) await attempt(offer)
}

/** False where it was taken already. */
function take(offer: Offer): boolean {
  const at = offers.indexOf(offer)
  if (at >= 0) offers.splice(at, 1)
  return at >= 0
}

async function attempt(offer: Offer): Promise<void> {
  try {
    await offer.undo()
  } catch (error) {
    toastError(error)
  }
}
