// The frame around every screen of a signed-in person: header, sidebar, and the sheet that holds the
// screen. On phones the sidebar is a drawer and the screen fills the header.

import { Trans, useLingui } from '@lingui/react/macro'
import { WifiOff } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { closeOnBack } from '../lib/page/back.ts'
import { usePath } from '../lib/page/navigate.ts'
import { network, retryNow } from '../state/network.ts'
import { Button } from '../ui/button.tsx'
import { Header } from './header.tsx'
import { Sidebar } from './sidebar.tsx'
import './frame.css'
import './frame-narrow.css'

export function Frame({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  const path = usePath()
  const [drawerAt, setDrawerAt] = useState<string | null>(null)
  // Going somewhere closes the drawer: it was opened for the path it was opened at.
  const drawer = drawerAt === path

  useEffect(() => {
    if (!drawer) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setDrawerAt(null)
    }
    document.addEventListener('keydown', onKey, true)
    const release = closeOnBack(() => setDrawerAt(null))
    return () => {
      release()
      document.removeEventListener('keydown', onKey, true)
    }
  }, [drawer])

  return (
    <div className="app">
      <a className="skip" href="#main" data-native>
        <Trans>Skip to content</Trans>
      </a>
      <Header onMenu={() => setDrawerAt(drawer ? null : path)} />
      {drawer && (
        <button
          type="button"
          className="drawer-veil overlay"
          aria-label={t`Close menu`}
          onClick={() => setDrawerAt(null)}
        />
      )}
      <Sidebar open={drawer} onDone={() => setDrawerAt(null)} />
      <main className="sheet" id="main" tabIndex={-1}>
        <OfflineBar />
        {children}
      </main>
    </div>
  )
}

/** Says that the server cannot be reached; it is asked again by itself. */
export function OfflineBar() {
  const { online } = useSnapshot(network)
  if (online) return null
  return (
    <div className="offline tone-warn" role="status">
      <WifiOff className="i i-sm" aria-hidden />
      <span>
        <Trans>No connection to the server. Trying again…</Trans>
      </span>
      <Button size="sm" onClick={retryNow}>
        <Trans>Try now</Trans>
      </Button>
    </div>
  )
}
