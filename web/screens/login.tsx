// The login page: sign in, or create an account where that is allowed. People who are signed in go
// on to where they wanted to be.

import { Trans, useLingui } from '@lingui/react/macro'
import { Clock } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { Logo } from '../layout/brand.tsx'
import { OfflineBar } from '../layout/frame.tsx'
import { LanguageSwitch, ThemeSwitch } from '../layout/switches.tsx'
import { boot, instanceName } from '../lib/boot.ts'
import { chooseLocale, loadLocale } from '../lib/i18n.ts'
import { targetOf } from '../lib/page/login-target.ts'
import { go, useQuery } from '../lib/page/navigate.ts'
import { useTitle } from '../lib/page/title.ts'
import { provider } from '../lib/provider.ts'
import { session } from '../state/session.ts'
import { StartFailure } from './error.tsx'
import { FormlessLogin, LoginForm } from './login-form.tsx'
import { PopupEnd, ProviderLogin } from './login-provider.tsx'

export function LoginScreen() {
  const { t } = useLingui()
  const query = useQuery()
  const { state, startError } = useSnapshot(session)
  const [mode, setMode] = useState<'login' | 'signup'>(
    boot.Signup && query.has('signup') ? 'signup' : 'login',
  )
  const [isSecond, setSecond] = useState(false)
  const signup = mode === 'signup' && !isSecond
  const target = targetOf(query)
  const isPopup = provider !== undefined && query.has('popup')
  const alone = provider?.Alone === true && !query.has('local')
  useTitle(signup ? t`Create account` : t`Sign in`)

  useEffect(() => {
    if (state === 'in' && !isPopup) void go(target, { replace: true, force: true })
  }, [state, target, isPopup])

  if (isPopup) return <PopupEnd />
  if (state === 'in') return null
  // Somebody else does the signing in here (a proxy), and it did not work.
  if (!boot.LoginPage) {
    return (
      <main className="login" id="login">
        <StartFailure error={startError} />
      </main>
    )
  }
  return (
    <main className="login" id="login">
      <div className="login__corner">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
      <div className="login__card stack">
        <div className="login__top stack">
          <Logo />
          <h1 className="login__title">
            {isSecond ? (
              <Trans>Two-step sign-in</Trans>
            ) : signup ? (
              <Trans>Create an account</Trans>
            ) : (
              <Trans>
                Sign in to <bdi>{instanceName}</bdi>
              </Trans>
            )}
          </h1>
        </div>
        <OfflineBar />
        {query.get('logout-reason') === 'inactivity' && !signup && (
          <div className="note tone-warn" role="status">
            <Clock className="i i-sm" aria-hidden />
            <span>
              <Trans>You were signed out because of inactivity.</Trans>
            </span>
          </div>
        )}
        {provider && !signup && !isSecond && <ProviderLogin target={target} alone={alone} />}
        {alone && boot.Passkeys && <FormlessLogin onDone={showOwnLanguage} />}
        {!alone && (
          <LoginForm
            key={mode}
            mode={mode}
            onMode={setMode}
            onStep={(step) => setSecond(step !== null)}
            onDone={showOwnLanguage}
          />
        )}
        {!alone && !signup && !isSecond && boot.AuthMethod === 'json' && <ForgottenPassword />}
      </div>
    </main>
  )
}

function showOwnLanguage(): void {
  void loadLocale(chooseLocale(session.user?.locale))
}

/** Nobody is sent a mail here: an administrator sets a new password, or whoever has the server. */
function ForgottenPassword() {
  return (
    <details className="login__help">
      <summary>
        <Trans>Forgot your password?</Trans>
      </summary>
      <p>
        <Trans>Ask an administrator to set a new one.</Trans>{' '}
        <Trans>Or run this command on the server:</Trans>
      </p>
      <code dir="ltr">filebrowser users update admin --password …</code>
    </details>
  )
}
