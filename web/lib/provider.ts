// Going to the provider and coming back, in this window or in a small one. That one cannot reach this page, as the
// provider's stood in it in between, so it reports on a channel.
import { boot } from './boot.ts'

/** Where people sign in besides; undefined when nothing is configured. */
export const provider = boot.Provider

/** Where the small window ends. */
const POPUP_PATH = '/login?popup'

type Way = 'login' | 'connect' | 'confirm'

/** `back` is where to go on afterwards, below the base URL. */
export function providerUrl(way: Way, back: string): string {
  return `${boot.BaseURL}/api/oidc/${way}?redirect=${encodeURIComponent(back)}`
}

const openChannel = () => new BroadcastChannel(`fb-provider ${boot.BaseURL}`)

/**
 * Signs in at the provider in a small window, from a click. Resolves with the word of an error, empty when it worked;
 * never when the window is closed instead.
 */
export function askAtProvider(way: Exclude<Way, 'connect'>): Promise<string> {
  const channel = openChannel()
  const answered = new Promise<string>((resolve) => {
    channel.addEventListener('message', ({ data }) => {
      channel.close()
      resolve(String(data))
    })
  })
  const opened = window.open(providerUrl(way, POPUP_PATH), '_blank', 'popup,width=520,height=720')
  if (opened !== null) return answered
  channel.close()
  return Promise.resolve('blocked')
}

/** Reports from the small window, which goes. */
export function reportBack(error: string): void {
  const channel = openChannel()
  channel.postMessage(error)
  channel.close()
  window.close()
}

/** This browser has just gone there by itself, or somebody has logged out: it does not go (again) unasked. */
const STAY = 'fb-stay'
const STAY_MS = 10_000

/** Keeps this tab on the login page after logging out. */
export function stayHere(): void {
  if (provider === undefined) return
  remember(Number.MAX_SAFE_INTEGER)
}

/** Goes to the provider without a click, unless that would be a circle. True when it goes. */
export function goByItself(back: string): boolean {
  let until = 0
  try {
    until = Number(sessionStorage.getItem(STAY))
  } catch {
    // Without storage nobody could stop it.
    return false
  }
  if (until > Date.now()) return false
  remember(Date.now() + STAY_MS)
  location.replace(providerUrl('login', back))
  return true
}

/** Somebody is signed in: the next time it may go again. */
export function mayGoAgain(): void {
  if (provider === undefined) return
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
