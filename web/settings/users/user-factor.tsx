// Two-step sign-in of somebody's account, as administrators see it.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ShieldOff } from 'lucide-react'
import {
  listSecondFactors,
  requireSecondFactor,
  resetSecondFactor,
} from '../../api/second-factor.ts'
import { boot } from '../../lib/boot.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { session } from '../../state/session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Switch } from '../../ui/toggle.tsx'
import { Section, WhenLoaded } from '../parts.tsx'
import { useLoad } from '../use-load.ts'

/** Where people sign in with a password of this server's or of its program's. */
export const hasSecondFactors = () => boot.LoginPage && !boot.NoAuth

export function UserFactor({ id, username }: { id: number; username: string }) {
  const { t } = useLingui()
  const factors = useLoad('second factors', listSecondFactors)
  if (!hasSecondFactors()) return null

  const change = (work: Promise<boolean>) =>
    void work.then((done) => done && factors.reload()).catch(toastError)

  return (
    <Section title={t`Two-step sign-in`}>
      <WhenLoaded loaded={factors}>
        {(all) => {
          const own = all.find(({ userID }) => userID === id)
          const passkeys = own?.passkeys ?? 0
          return (
            <>
              <Switch
                label={t`Require two-step sign-in`}
                checked={own?.required ?? false}
                onChange={(required) => change(requireFactor(id, required))}
              />
              <div className="factor__acts row wraps">
                {own?.active ? (
                  <Badge tone="ok">
                    <Trans>On</Trans>
                  </Badge>
                ) : (
                  <Badge>
                    <Trans>Off</Trans>
                  </Badge>
                )}
                {passkeys > 0 && (
                  <Badge>
                    <Trans>Passkeys: {passkeys}</Trans>
                  </Badge>
                )}
                {(own?.active || passkeys > 0) && id !== session.user?.id && (
                  <Button
                    size="sm"
                    tone="danger-text"
                    icon={ShieldOff}
                    onClick={() => change(resetFactor(id, username))}
                  >
                    <Trans>Reset</Trans>
                  </Button>
                )}
              </div>
            </>
          )
        }}
      </WhenLoaded>
    </Section>
  )
}

async function requireFactor(id: number, required: boolean): Promise<boolean> {
  const attempt = () => requireSecondFactor(id, required, '')
  if (boot.AuthMethod !== 'json') {
    await attempt()
    return true
  }
  const answer = await openPrompt('currentPassword', {
    title: t`Require two-step sign-in`,
    text: t`Confirm with your own password.`,
    confirmLabel: t`Save changes`,
    attempt,
  })
  return answer !== null
}

/** True when the factor is gone. */
export async function resetFactor(id: number, username: string): Promise<boolean> {
  const attempt = () => resetSecondFactor(id, '')
  const title = t`Reset two-step sign-in?`
  const text = t`“${username}” will be signed out everywhere, lose all passkeys, and need only the password to sign in.`
  const label = t`Reset`
  if (boot.AuthMethod === 'json') {
    const prompt = { title, text, confirmLabel: label, attempt, tone: 'danger' } as const
    if ((await openPrompt('currentPassword', prompt)) === null) return false
  } else {
    const answers = [{ id: 'reset', label, tone: 'danger' }] as const
    if ((await openPrompt('confirm', { title, text, answers })) === null) return false
    await attempt()
  }
  toastSuccess(t`Two-step sign-in is off`)
  return true
}
