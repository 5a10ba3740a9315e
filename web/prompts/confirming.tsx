// Proving again who one is, in a dialog whose act needs it: by password, code or passkey, and not at all for some minutes
// after that was done.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { ConfirmWays } from '../../src/api-types.ts'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { beginConfirm, getConfirmWays, postConfirm } from '../api/passkeys.ts'
import { ProviderWindow } from '../layout/provider.tsx'
import { isGivenUp, knowsPasskeys, signWithPasskey } from '../operations/passkeys.ts'
import { session } from '../state/session.ts'
import { PasswordField } from '../ui/field.tsx'
import { explainStep, SixDigits } from './second-factor/code-field.tsx'

/** Where the server does not say by what, it is the password. */
const BY_PASSWORD: ConfirmWays = { confirmed: false, methods: ['password'] }

export type Confirming = ReturnType<typeof useConfirming>

/** `needed` is false where nothing has to be proved. */
export function useConfirming(needed = true) {
  const [ways, setWays] = useState<ConfirmWays | null>(null)
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<string | null>(null)

  useEffect(() => {
    if (needed) getConfirmWays().then(setWays, () => setWays(BY_PASSWORD))
  }, [needed])

  const methods = ways?.methods ?? []
  const hasPasskey = methods.includes('passkey') && knowsPasskeys()
  const byCode = methods.includes('code') && !methods.includes('password')
  const byProvider = methods.includes('provider')
  const isPasskeyAlone = hasPasskey && !byCode && !methods.includes('password')
  const isProviderAlone = byProvider && methods.length === 1

  async function proofOf(byPasskey: boolean) {
    if (byPasskey) return { passkey: await signWithPasskey(await beginConfirm()) }
    return byCode ? { code: typed } : { password: typed }
  }

  /** Proves it and does the act; false when the proof was refused or given up. @throws what the act throws. */
  async function run(act: () => Promise<void>, byPasskey = isPasskeyAlone): Promise<boolean> {
    setError(null)
    try {
      if (needed && !ways?.confirmed) {
        if (isProviderAlone) return false
        await postConfirm(await proofOf(byPasskey))
        setWays({ confirmed: true, methods })
      }
    } catch (problem) {
      if (!isGivenUp(problem)) setError(explain(problem, typed))
      return false
    }
    try {
      await act()
      return true
    } catch (problem) {
      if (!(problem instanceof ApiError) || problem.code !== 'invalid_password') throw problem
      // The minutes are over, or the server was started anew.
      setWays({ confirmed: false, methods })
      setTyped('')
      return false
    }
  }

  return {
    ...{
      needed,
      ways,
      typed,
      error,
      hasPasskey,
      byCode,
      isPasskeyAlone,
      byProvider,
      isProviderAlone,
      run,
    },
    /** It was done at the provider. */
    done: () => setWays({ confirmed: true, methods }),
    change(text: string) {
      setError(null)
      setTyped(text)
    },
  }
}

/** The field for the proof; nothing where none is needed. */
export function ConfirmField({
  confirming,
  onPasskey,
}: {
  confirming: Confirming
  /** Submits, to be proved by a passkey. */
  onPasskey: () => void
}) {
  const { t } = useLingui()
  const { needed, ways, typed, error, change, byCode, isPasskeyAlone, hasPasskey } = confirming
  const { byProvider, isProviderAlone, done } = confirming
  if (!needed || ways === null) return null
  if (ways.confirmed) {
    return (
      <p className="fs-md dim" data-confirmed>
        <Trans>You’ve just confirmed your identity.</Trans>
      </p>
    )
  }
  return (
    <>
      {/* Password managers look for the name the password belongs to. */}
      <input hidden readOnly autoComplete="username" value={session.user?.username ?? ''} />
      {isPasskeyAlone && error && (
        <p className="err" role="alert">
          {error}
        </p>
      )}
      {byCode && <SixDigits value={typed} onChange={change} error={error} />}
      {!isPasskeyAlone && !byCode && !isProviderAlone && (
        <PasswordField
          label={t`Your current password`}
          autoComplete="current-password"
          value={typed}
          error={error}
          onChange={change}
        />
      )}
      {hasPasskey && !isPasskeyAlone && (
        <button type="button" className="other-way" onClick={onPasskey}>
          <Trans>Use a passkey</Trans>
        </button>
      )}
      {byProvider && <ProviderWindow confirms onDone={done} />}
    </>
  )
}

function explain(problem: unknown, typed: string): string {
  const code = problem instanceof ApiError ? problem.code : null
  if (code === 'invalid_password') return t`Incorrect password.`
  return code === 'invalid_code' ? explainStep(problem, { code: typed }) : messageOf(problem)
}
