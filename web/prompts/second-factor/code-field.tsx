// The field for the second step: six digits of an app, or one of the recovery codes.

import { t } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import type { Proof } from '../../api/second-factor.ts'
import { formatMoment } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { CodeField } from '../../ui/field.tsx'
import styles from './second-factor.css?url'

await loadStylesheet(styles)

/** Clocks that differ by more make each code wrong. */
const MAX_SKEW_MS = 45_000

interface CodeInputProps {
  value: string
  onChange(value: string): void
  /** Called with the digits as soon as all of them are there. */
  onComplete?: (code: string) => void
  error?: ReactNode
  hint?: ReactNode
}

export function SixDigits({ value, onChange, onComplete, error, hint }: CodeInputProps) {
  const { t } = useLingui()
  function change(text: string) {
    const digits = text.replace(/\D/g, '').slice(0, 6)
    onChange(digits)
    if (digits.length === 6 && digits !== value) onComplete?.(digits)
  }
  return (
    <CodeField
      className="mono-field six-digits"
      label={t`Six-digit code`}
      name="code"
      autoComplete="one-time-code"
      inputMode="numeric"
      autoCapitalize="none"
      value={value}
      onChange={change}
      error={error}
      hint={hint}
      data-autofocus
      autoFocus
    />
  )
}

export function RecoveryField({ value, onChange, error }: CodeInputProps) {
  const { t } = useLingui()
  return (
    <CodeField
      label={t`Recovery code`}
      name="recovery"
      autoComplete="off"
      autoCapitalize="characters"
      placeholder="XXXX-XXXX-XXXX-XXXX"
      value={value}
      onChange={onChange}
      error={error}
      data-autofocus
      autoFocus
    />
  )
}

/** Why a second step was refused, in words; other failures have their own. */
export function explainStep(error: unknown, proof: Proof): string {
  const isWrong =
    error instanceof ApiError && (error.status === 403 || error.code === 'invalid_code')
  if (!isWrong) return messageOf(error)
  if (proof.recovery) return t`This recovery code is wrong or already used.`
  const { servedAtMs } = error
  const wrong = t`This code is wrong or already used. Wait for the next one.`
  if (servedAtMs === undefined || Math.abs(servedAtMs - Date.now()) < MAX_SKEW_MS) return wrong
  const time = formatMoment(servedAtMs)
  return `${wrong} ${t`The server’s clock says ${time}.`}`
}
