// Two-step sign-in of one's own account: on or off, and the recovery codes.

import { t } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ShieldAlert, ShieldCheck, ShieldOff } from 'lucide-react'
import type { SecondFactorRecord } from '../../src/api-types.ts'
import { getSecondFactor, removeSecondFactor, renewRecoveryCodes } from '../api/second-factor.ts'
import { boot } from '../lib/boot.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastSuccess } from '../operations/toasts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Section, WhenLoaded } from './parts.tsx'
import { useLoad } from './use-load.ts'

/** With so few codes left it is time for new ones. */
const FEW = 3

export function SecondFactor() {
  const { t } = useLingui()
  const factor = useLoad('second factor', getSecondFactor)
  // Nobody signs in with a password here, so there is nothing to add to.
  if (boot.NoAuth || !boot.LoginPage) return null
  if (factor.data && !factor.data.offered) return null
  return (
    <Section
      title={t`Two-step sign-in`}
      hint={t`A code from an app on your phone, in addition to your password.`}
    >
      <WhenLoaded loaded={factor}>
        {(record) =>
          record.active ? (
            <Active record={record} onChange={factor.reload} />
          ) : (
            <div className="factor__acts row">
              <Button tone="line" icon={ShieldCheck} onClick={() => enrol(factor.reload)}>
                <Trans>Set up</Trans>
              </Button>
              {record.required && (
                <Badge tone="warn">
                  <Trans>Required here</Trans>
                </Badge>
              )}
            </div>
          )
        }
      </WhenLoaded>
    </Section>
  )
}

async function enrol(onChange: () => void): Promise<void> {
  const codes = await openPrompt('enrolFactor', {})
  if (codes === null) return
  onChange()
  toastSuccess(t`Two-step sign-in is on`)
  await openPrompt('recoveryCodes', { codes })
}

async function renew(onChange: () => void): Promise<void> {
  let codes: string[] = []
  const answer = await openPrompt('proveFactor', {
    title: t`New recovery codes`,
    text: t`The old codes will stop working.`,
    confirmLabel: t`Continue`,
    attempt: async (password, proof) => {
      codes = await renewRecoveryCodes(password, proof)
    },
  })
  if (answer === null) return
  onChange()
  await openPrompt('recoveryCodes', { codes })
}

async function switchOff(onChange: () => void): Promise<void> {
  const answer = await openPrompt('proveFactor', {
    title: t`Switch off two-step sign-in?`,
    text: t`You’ll only need your password to sign in.`,
    confirmLabel: t`Switch off`,
    tone: 'danger',
    attempt: removeSecondFactor,
  })
  if (answer === null) return
  onChange()
  toastSuccess(t`Two-step sign-in is off`)
}

function Active({ record, onChange }: { record: SecondFactorRecord; onChange: () => void }) {
  const { recovery, required } = record
  const few = recovery <= FEW
  const Icon = few ? ShieldAlert : ShieldCheck
  return (
    <>
      <div className="device">
        <Icon className="i i-lg mid" aria-hidden />
        <span className="grow">
          <span className="row">
            <Badge tone="ok">
              <Trans>On</Trans>
            </Badge>
            {few && (
              <Badge tone="warn">
                <CodesLeft count={recovery} />
              </Badge>
            )}
          </span>
          <small>
            {!few && <CodesLeft count={recovery} />}
            {!few && required && ' · '}
            {required && <Trans>Required here</Trans>}
          </small>
        </span>
      </div>
      <div className="factor__acts row wraps">
        <Button tone="line" onClick={() => renew(onChange)}>
          <Trans>New recovery codes</Trans>
        </Button>
        {!required && (
          <Button tone="danger-text" icon={ShieldOff} onClick={() => switchOff(onChange)}>
            <Trans>Switch off</Trans>
          </Button>
        )}
      </div>
    </>
  )
}

function CodesLeft({ count }: { count: number }) {
  return <Plural value={count} one="# recovery code left" other="# recovery codes left" />
}
