// The frame around every screen of a signed-in person: header, sidebar, and the sheet that holds the
// screen. On phones the sidebar is a drawer and the screen fills the header.

import './frame.css'
import './frame-narrow.css'
import { Trans, useLingui } from '@lingui/react/macro'
import { CircleQuestionMark, Menu as MenuIcon, Search, WifiOff } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { closeOnBack } from '../lib/page/back.ts'
import { useDocumentKeys } from '../lib/page/keys.ts'
import { usePath } from '../lib/page/navigate.ts'
import { network, retryNow } from '../lib/page/network.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { setPhoneBar, slots } from '../state/slots.ts'
import { Kbd } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Brand } from './brand.tsx'
import { Sidebar } from './sidebar.tsx'
import { LanguageSwitch, ThemeSwitch } from './switches.tsx'

export function Frame({ children }: { children: ReactNode }) {
  const { t } = useLingui()
  const path = usePath()
  const [drawerAt, setDrawerAt] = useState<string | null>(null)
  // Going somewhere closes the drawer: it was opened for the path it was opened at.
  const drawer = drawerAt === path

  useDocumentKeys((event) => {
    if (drawer && event.key === 'Escape') setDrawerAt(null)
  }, true)
  useLayoutEffect(() => (drawer ? closeOnBack(() => setDrawerAt(null)) : undefined), [drawer])

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

function Header({ onMenu }: { onMenu: () => void }) {
  const { t } = useLingui()
  const { search, help } = useSnapshot(slots)
  return (
    <header className="head" id="header">
      <Brand />
      <IconButton className="head__menu" icon={MenuIcon} label={t`Menu`} onClick={onMenu} />
      <div className="head__phone" ref={setPhoneBar} />
      <div className="head__tools row shrinks">
        {search ? (
          <button type="button" className="searchbox row" id="search" onClick={() => search.run()}>
            <Search className="i" aria-hidden />
            <span className="grow trunc">{t`Search files and folders`}</span>
            <Kbd keys={shownKeys('Mod+K')} />
          </button>
        ) : null}
        <span className="grow" />
        <span className="head__uploads" id="header-uploads" />
        <LanguageSwitch />
        <ThemeSwitch />
        {help && (
          <IconButton
            icon={CircleQuestionMark}
            label={t`Help`}
            shortcut="F1"
            onClick={() => help.run()}
          />
        )}
      </div>
    </header>
  )
}
