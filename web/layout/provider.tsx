// What a sign-in at the provider came to, in words, and the button for one in a small window.

import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { CircleAlert, LogIn } from 'lucide-react'
import { useState } from 'react'
import { askAtProvider, provider } from '../lib/provider.ts'
import { Button } from '../ui/button.tsx'

/** A sentence for the word that the server or the browser gave. */
export function providerProblem(word: string): string {
  const label = provider?.Label ?? ''
  switch (word) {
    case 'refused':
      return t`You’re not allowed to sign in here. Ask an administrator for access.`
    case 'exists':
      return t`An account with your name already exists. Sign in with its password, then choose Connect in your profile.`
    case 'expired':
      return t`Sign-in took too long or started in another window. Try again.`
    case 'unreachable':
      return t`${label} isn’t responding. Try again later.`
    case 'groups':
      return t`You’re in too many groups for ${label} to list. Ask an administrator for help.`
    case 'later':
      return t`Too many attempts. Wait a moment, then try again.`
    case 'blocked':
      return t`The browser has blocked the window. Allow pop-up windows for this page.`
    default:
      return t`Sign-in failed. The server’s log says why.`
  }
}

/** Nothing for who has given up: they know. */
export function ProviderNote({ word }: { word: string }) {
  if (word === '' || word === 'cancelled') return null
  return (
    <div className="note tone-danger" role="alert">
      <CircleAlert className="i i-sm" aria-hidden />
      <span>{providerProblem(word)}</span>
    </div>
  )
}

interface SmallWindowProps {
  /** Proves who has the session, instead of opening one. */
  confirms?: boolean
  onDone?: () => void
}

/** Signs in beside the page, which stays as it is. */
export function ProviderWindow({ confirms = false, onDone }: SmallWindowProps) {
  const [problem, setProblem] = useState('')
  const label = provider?.Label

  async function ask() {
    setProblem('')
    const word = await askAtProvider(confirms ? 'confirm' : 'login')
    setProblem(word)
    if (word === '') onDone?.()
  }

  return (
    <>
      <ProviderNote word={problem} />
      <Button tone="line" size="lg" block icon={LogIn} onClick={() => void ask()}>
        {confirms ? <Trans>Confirm with {label}</Trans> : <Trans>Sign in with {label}</Trans>}
      </Button>
    </>
  )
}
