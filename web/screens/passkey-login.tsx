// Logging in with a passkey: a button, and the browser's own list at the field of the name.

import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Fingerprint } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { beginPasskeyLogin, postPasskeyLogin } from '../api/passkeys.ts'
import {
  fillsInPasskeys,
  isGivenUp,
  knowsPasskeys,
  signWithPasskey,
  stopPasskeys,
} from '../operations/passkeys.ts'
import { enterWith } from '../state/session.ts'
import { Button } from '../ui/button.tsx'

/** What is to be signed is good for five minutes; a page that waits asks for it anew. */
const ANEW_MS = 4 * 60_000

interface PasskeyLoginProps {
  remember: boolean
  onDone: () => void
  onProblem: (text: string | null) => void
}

export function PasskeyLogin({ remember, onDone, onProblem }: PasskeyLoginProps) {
  const [busy, setBusy] = useState(false)
  const [turn, setTurn] = useState(0)
  const latest = useRef(remember)
  latest.current = remember

  async function enter(isAutofill: boolean, isOver: () => boolean) {
    try {
      const response = await signWithPasskey(await beginPasskeyLogin(), isAutofill)
      if (isOver()) return
      onProblem(null)
      enterWith(await postPasskeyLogin(response, latest.current))
      onDone()
    } catch (problem) {
      if (isOver() || isGivenUp(problem)) return
      // Nobody asked for what could not be prepared.
      if (isAutofill && !(problem instanceof ApiError && problem.status === 403)) return
      onProblem(explain(problem))
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, and again whenever the button is done
  useEffect(() => {
    if (!knowsPasskeys()) return
    let over = false
    let timer: ReturnType<typeof setTimeout>
    const offer = async () => {
      if (!(await fillsInPasskeys()) || over) return
      timer = setTimeout(() => void offer(), ANEW_MS)
      await enter(true, () => over)
    }
    void offer()
    return () => {
      over = true
      clearTimeout(timer)
      void stopPasskeys()
    }
  }, [turn])

  async function ask() {
    if (busy) return
    setBusy(true)
    onProblem(null)
    await enter(false, () => false)
    setBusy(false)
    setTurn(turn + 1)
  }

  if (!knowsPasskeys()) return null
  return (
    <Button tone="line" size="lg" block busy={busy} icon={Fingerprint} onClick={() => void ask()}>
      <Trans>Sign in with a passkey</Trans>
    </Button>
  )
}

function explain(problem: unknown): string {
  const isRefused = problem instanceof ApiError && problem.status === 403
  return isRefused ? t`This passkey wasn’t accepted.` : messageOf(problem)
}
