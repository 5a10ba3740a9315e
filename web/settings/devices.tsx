// Where the account is signed in, and ending that.

import { Trans, useLingui } from '@lingui/react/macro'
import { LogOut, Monitor, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { SessionRecord } from '../../src/api-types.ts'
import { endOtherSessions, endSession, listSessions } from '../api/session.ts'
import { boot, canLogOut } from '../lib/boot.ts'
import { askToLogOut } from '../operations/log-out.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError, toastSuccess } from '../operations/toasts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { DateText } from '../ui/date-text.tsx'
import { deviceOf } from './device-name.ts'
import { Section, WhenLoaded } from './parts.tsx'
import { useLoad } from './use-load.ts'

export function Devices() {
  const { t } = useLingui()
  const sessions = useLoad('sessions', listSessions)
  const [ending, setEnding] = useState<string | null>(null)

  async function end(record: SessionRecord) {
    setEnding(record.id)
    try {
      if (record.current) {
        await askToLogOut()
        return
      }
      await endSession(record.id)
      toastSuccess(t`Signed out of that device`)
      sessions.reload()
    } catch (error) {
      toastError(error)
    } finally {
      setEnding(null)
    }
  }

  async function endOthers() {
    const answer = await openPrompt('confirm', {
      title: t`Sign out of all other devices?`,
      text: t`You’ll have to sign in again on all other browsers and devices. This one stays signed in.`,
      answers: [{ id: 'yes', label: t`Sign out of other devices`, tone: 'danger' }],
    })
    if (answer !== 'yes') return
    try {
      await endOtherSessions()
      toastSuccess(t`Signed out of all other devices`)
      sessions.reload()
    } catch (error) {
      toastError(error)
    }
  }

  // Without signing in there is nothing to sign out of.
  if (boot.NoAuth) return null
  return (
    <Section title={t`Signed-in devices`} hint={t`Sign out of any device you don’t recognise.`}>
      <WhenLoaded loaded={sessions}>
        {(list) => (
          <>
            <ul className="devices">
              {list.map((record) => (
                <Device
                  key={record.id}
                  record={record}
                  busy={ending === record.id}
                  onEnd={() => void end(record)}
                />
              ))}
            </ul>
            {list.some((record) => !record.current) && (
              <Button tone="line" icon={LogOut} flipIcon onClick={() => endOthers()}>
                <Trans>Sign out of other devices</Trans>
              </Button>
            )}
          </>
        )}
      </WhenLoaded>
    </Section>
  )
}

function Device({
  record,
  busy,
  onEnd,
}: {
  record: SessionRecord
  busy: boolean
  onEnd: () => void
}) {
  const { t } = useLingui()
  const { browser, system } = deviceOf(record.userAgent)
  const phone = system === 'iPhone' || system === 'Android'
  const Icon = phone ? Smartphone : Monitor
  const name =
    browser && system ? t`${browser} on ${system}` : (browser ?? system ?? t`Unknown device`)
  return (
    <li className="device">
      <Icon className="i i-lg mid" aria-hidden />
      <span className="grow">
        <span className="row">
          {name}
          {record.current && (
            <Badge tone="accent">
              <Trans>This device</Trans>
            </Badge>
          )}
        </span>
        <small>
          <bdi>{record.address}</bdi>
          {' · '}
          <Trans>
            Last active: <DateText moment={record.lastSeen} />
          </Trans>
        </small>
      </span>
      {(!record.current || canLogOut) && (
        <Button size="sm" busy={busy} onClick={onEnd} aria-label={t`Sign out of ${name}`}>
          <Trans>Sign out</Trans>
        </Button>
      )}
    </li>
  )
}
