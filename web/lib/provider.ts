// Going to the provider and coming back, in this window or in a small one. That one cannot reach this page, as the
// provider's stood in it in between, so it reports on a channel.
import { boot } from './boot.ts'
import { takeTurn } from './provider-turn.ts'

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

/** Goes to the provider without a click, unless that would be a circle. True when it goes. */
export function goByItself(back: string): boolean {
  if (!takeTurn()) return false
  location.replace(providerUrl('login', back))
  return true
}
