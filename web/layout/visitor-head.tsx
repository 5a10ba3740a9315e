// The header of the pages without a sidebar, and the way in for those who are not signed in.

import { Trans } from '@lingui/react/macro'
import { LogIn, UserPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSnapshot } from 'valtio'
import { boot } from '../lib/boot.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { session } from '../state/session.ts'
import styles from './bare.css?url'
import { Brand } from './brand.tsx'
import { LanguageSwitch, ThemeSwitch } from './switches.tsx'

await loadStylesheet(styles)

/** `back` is the path, without the base URL, that signing in leads back to; default the files. */
export function VisitorHead({ back, children }: { back?: string; children?: ReactNode }) {
  const { state } = useSnapshot(session)
  return (
    <header className="bare__head row">
      <Brand />
      <span className="grow" />
      <LanguageSwitch />
      <ThemeSwitch />
      {state === 'out' && <WayIn back={back} />}
      {children}
    </header>
  )
}

/** As in File Browser, only the login link can be hidden; without a login page neither leads anywhere. */
function WayIn({ back }: { back: string | undefined }) {
  if (!boot.LoginPage) return null
  const target = back === undefined ? '' : `redirect=${encodeURIComponent(back)}`
  const login = `${boot.BaseURL}/login`
  return (
    <>
      {boot.Signup && (
        <a
          className="btn btn--ghost bare__signup"
          href={`${login}?signup${target && `&${target}`}`}
        >
          <span className="btn__label">
            <UserPlus className="i i-sm" aria-hidden />
            <Trans>Sign up</Trans>
          </span>
        </a>
      )}
      {!boot.HideLoginButton && (
        <a className="btn btn--line" href={target ? `${login}?${target}` : login}>
          <span className="btn__label">
            <LogIn className="i i-sm flip" aria-hidden />
            <Trans>Sign in</Trans>
          </span>
        </a>
      )}
    </>
  )
}
