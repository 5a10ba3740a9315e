// Whether the browser offers to install this page as a program, and taking it up.

import { proxy } from 'valtio'

/** Chromium's event (Web App Manifest incubations, `BeforeInstallPromptEvent`). */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

export const install = proxy({ isOffered: false })

let offer: InstallOffer | null = null

globalThis.addEventListener?.('beforeinstallprompt', (event) => {
  offer = event as InstallOffer
  install.isOffered = true
})

/** Shows the browser's own question. Call it inside a click handler. */
export async function installProgram(): Promise<void> {
  const taken = offer
  // It can be asked once.
  offer = null
  install.isOffered = false
  await taken?.prompt()
}
