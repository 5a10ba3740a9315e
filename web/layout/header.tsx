// The top line: name of the instance, search, uploads, language, theme, help.

import { useLingui } from '@lingui/react/macro'
import { CircleQuestionMark, Menu as MenuIcon, Search } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { isApple } from '../operations/commands/shortcut.ts'
import { setPhoneBar, slots } from '../state/slots.ts'
import { Kbd } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { Brand } from './brand.tsx'
import { LanguageSwitch, ThemeSwitch } from './switches.tsx'

export function Header({ onMenu }: { onMenu: () => void }) {
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
            <Kbd keys={isApple() ? '⌘ K' : 'Ctrl K'} />
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
