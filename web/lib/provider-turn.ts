// Whether this tab goes to the provider by itself when nobody is signed in.
import { boot } from './boot.ts'

/** This browser has just gone there by itself, or somebody has logged out: it does not go (again) unasked. */
const STAY = 'fb-stay'
const STAY_MS = 10_000

/** Keeps this tab on the login page after logging out. */
export function stayHere(): void {
  if (boot.Provider === undefined) return
  remember(Number.MAX_SAFE_INTEGER)
}

/** True when it may go now; it then may not again for a while, which would be a circle. */
export function takeTurn(): boolean {
  let until = 0
  try {
    until = Number(sessionStorage.getItem(STAY))
  } catch {
    // Without storage nobody could stop it.
    return false
  }
  if (until > Date.now()) return false
  remember(Date.now() + STAY_MS)
  return true
}

/** Somebody is signed in: the next time it may go again. */
export function mayGoAgain(): void {
  if (boot.Provider === undefined) return
  try {
    if (Number(sessionStorage.getItem(STAY)) > Date.now() + STAY_MS) sessionStorage.removeItem(STAY)
  } catch {
    // Blocked.
  }
}

function remember(untilMs: number): void {
  try {
    sessionStorage.setItem(STAY, String(untilMs))
  } catch {
    // Blocked.
  }
}
