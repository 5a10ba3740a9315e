import { Trans, useLingui } from '@lingui/react/macro'
import { LockKeyhole } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../api/client.ts'
import { messageOf } from '../api/error-text.ts'
import { Button } from '../ui/button.tsx'
import { PasswordField } from '../ui/field.tsx'

interface PasswordCardProps {
  /** What came of the last password; null before the first. */
  error: unknown
  busy: boolean
  onSubmit: (password: string) => void
}

export function PasswordCard({ error, busy, onSubmit }: PasswordCardProps) {
  const { t } = useLingui()
  const [password, setPassword] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const wrong = error instanceof ApiError && error.status === 401
  const message = busy || error === null ? null : wrong ? t`Incorrect password.` : messageOf(error)

  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    if (message !== null) field.current?.select()
  }, [message])

  return (
    <form
      className="panel pubpass"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (password !== '' && !busy) onSubmit(password)
      }}
    >
      <span className="pubpass__mark center tone-accent" aria-hidden>
        <LockKeyhole className="i-lg" strokeWidth={1.75} />
      </span>
      <h1>
        <Trans>This link is protected</Trans>
      </h1>
      <p className="mid">
        <Trans>Enter the password to view the shared files.</Trans>
      </p>
      <PasswordField
        ref={field}
        label={t`Password`}
        autoComplete="current-password"
        value={password}
        error={message}
        onChange={setPassword}
      />
      <Button tone="fill" size="lg" block type="submit" busy={busy}>
        <Trans>Continue</Trans>
      </Button>
    </form>
  )
}
