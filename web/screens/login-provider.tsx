// The provider on the login page, and the end of a sign-in in a small window.

import { Trans } from '@lingui/react/macro'
import { LogIn } from 'lucide-react'
import { useEffect } from 'react'
import { ProviderNote } from '../layout/provider.tsx'
import { useQuery } from '../lib/page/navigate.ts'
import { goByItself, provider, providerUrl, reportBack } from '../lib/provider.ts'
import { announceSignIn } from '../state/session.ts'
import { Button } from '../ui/button.tsx'

interface ProviderLoginProps {
  /** Where to go on. */
  target: string
  /** There is no form beside it. */
  alone: boolean
}

export function ProviderLogin({ target, alone }: ProviderLoginProps) {
  const query = useQuery()
  const problem = query.get('error') ?? ''
  const label = provider?.Label
  const isAsked = query.has('local') || problem !== '' || query.has('logout-reason')

  useEffect(() => {
    if (provider?.Auto && !isAsked) goByItself(target)
  }, [isAsked, target])

  return (
    <>
      <ProviderNote word={problem} />
      <Button
        tone={alone ? 'fill' : 'line'}
        size="lg"
        block
        icon={LogIn}
        onClick={() => location.assign(providerUrl('login', target))}
      >
        <Trans>Sign in with {label}</Trans>
      </Button>
    </>
  )
}

/** What the small window shows last: it tells the page that has opened it, and closes. */
export function PopupEnd() {
  const problem = useQuery().get('error') ?? ''
  useEffect(() => {
    if (problem === '') announceSignIn()
    reportBack(problem)
  }, [problem])
  return (
    <main className="login" id="login">
      <div className="login__card stack">
        <ProviderNote word={problem} />
        <p>
          <Trans>You can close this window.</Trans>
        </p>
      </div>
    </main>
  )
}
