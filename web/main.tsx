// Starts the interface: language and session side by side, then the first render.

import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { createRoot } from 'react-dom/client'
import { App, preloadScreen } from './app.tsx'
import { boot } from './lib/boot.ts'
import { chooseLocale, loadLocale } from './lib/i18n.ts'
import { isInstalled } from './lib/page/installed.ts'
import { followLinks } from './lib/page/navigate.ts'
import { refuseStrayDrops } from './lib/page/stray-drops.ts'
import './state/install.ts'
import { applyTheme } from './state/prefs.ts'
import { session, startSession } from './state/session.ts'
import './styles/tokens.css'
import './styles/base.css'

async function start(): Promise<void> {
  applyTheme()
  followLinks()
  refuseStrayDrops()
  preloadScreen()
  await Promise.all([startSession(), applyOwnColour()])
  await loadLocale(chooseLocale(session.user?.locale))
  const root = document.getElementById('app')
  if (!root) return
  createRoot(root).render(
    <I18nProvider i18n={i18n}>
      <App />
    </I18nProvider>,
  )
  if (isInstalled()) startProgram().catch(console.error)
}

/** Before anything is painted. */
async function applyOwnColour(): Promise<void> {
  if (boot.Color === '') return
  const { applyAccent } = await import('./lib/colour.ts')
  applyAccent(boot.Color)
}

async function startProgram(): Promise<void> {
  const [{ startInstalled }] = await Promise.all([
    import('./installed/start.ts'),
    // What is shown without a connection has to be there by then.
    import('./screens/error.tsx'),
    import('./installed/offline.tsx'),
  ])
  await startInstalled()
}

// Not awaited at the top level: lazy parts import from the module this is in, and would wait for it.
start().catch((error: unknown) => {
  console.error(error)
  // The texts themselves may be what could not be loaded, so this one is in the page.
  const message = document.querySelector<HTMLElement>('#app')
  if (message) message.textContent = 'This page could not be loaded. Please load it again.'
})
