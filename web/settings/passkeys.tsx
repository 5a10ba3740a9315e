// Passkeys of one's own account: what they are called, when they were used, and why there can be none at this address.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fingerprint, Pencil, Plus, Trash2 } from 'lucide-react'
import type { PasskeyList, PasskeyRecord } from '../../src/api-types.ts'
import { ApiError } from '../api/client.ts'
import { listPasskeys, removePasskey } from '../api/passkeys.ts'
import { boot } from '../lib/boot.ts'
import { forgetPasskey, knowsPasskeys } from '../operations/passkeys.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastSuccess } from '../operations/toasts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { deviceOf } from './device-name.ts'
import { LastUsed, Section, WhenLoaded } from './parts.tsx'
import { useLoad } from './use-load.ts'

export function Passkeys() {
  const { t } = useLingui()
  const loaded = useLoad('passkeys', listPasskeys)

  async function add() {
    if ((await openPrompt('addPasskey', { name: ownDevice() })) === null) return
    toastSuccess(t`Passkey added`)
    loaded.reload()
  }

  async function rename(passkey: PasskeyRecord) {
    if ((await openPrompt('renamePasskey', { passkey })) !== null) loaded.reload()
  }

  async function remove(passkey: PasskeyRecord) {
    const { id, name } = passkey
    const answer = await openPrompt('currentPassword', {
      title: t`Remove this passkey?`,
      text: t`You’ll no longer be able to sign in with “${name}”.`,
      confirmLabel: t`Remove passkey`,
      tone: 'danger',
      attempt: () => removePasskey(id, ''),
      explain: explainRemoval,
    })
    if (answer === null) return
    void forgetPasskey(passkey)
    toastSuccess(t`Passkey removed`)
    loaded.reload()
  }

  // Nobody signs in with a password here.
  if (boot.NoAuth || !boot.LoginPage || loaded.data?.offered === false) return null
  return (
    <Section
      title={t`Passkeys`}
      hint={t`Sign in with your fingerprint, face, PIN or a security key instead of your password.`}
    >
      <WhenLoaded loaded={loaded}>
        {(list) => {
          const hurdle = hurdleOf(list)
          return (
            <>
              {list.passkeys.length > 0 && (
                <ul className="devices">
                  {list.passkeys.map((passkey) => (
                    <Passkey
                      key={passkey.id}
                      passkey={passkey}
                      onRename={() => void rename(passkey)}
                      onRemove={() => void remove(passkey)}
                    />
                  ))}
                </ul>
              )}
              {hurdle === null ? (
                <Button tone="line" icon={Plus} onClick={() => add()}>
                  <Trans>Add a passkey</Trans>
                </Button>
              ) : (
                <p className="mid">{hurdle}</p>
              )}
            </>
          )
        }}
      </WhenLoaded>
    </Section>
  )
}

interface PasskeyProps {
  passkey: PasskeyRecord
  onRename: () => void
  onRemove: () => void
}

function Passkey({ passkey, onRename, onRemove }: PasskeyProps) {
  const { t } = useLingui()
  const { name, rpID, backedUp, lastUsed } = passkey
  return (
    <li className="device">
      <Fingerprint className="i i-lg mid" aria-hidden />
      <span className="grow shrinks">
        <span className="row">
          <bdi>{name}</bdi>
          {backedUp && (
            <Badge>
              <Trans>Synced</Trans>
            </Badge>
          )}
        </span>
        <small>
          {rpID !== location.hostname && (
            <>
              <bdi>{rpID}</bdi>
              {' · '}
            </>
          )}
          <LastUsed moment={lastUsed} />
        </small>
      </span>
      <IconButton size="sm" icon={Pencil} label={t`Rename ${name}`} onClick={onRename} />
      <IconButton
        size="sm"
        tone="danger"
        icon={Trash2}
        label={t`Remove ${name}`}
        onClick={onRemove}
      />
    </li>
  )
}

/** Why no passkey can be added here, or null. */
function hurdleOf({ why, origin }: PasskeyList): string | null {
  if (why === 'address')
    return t`Passkeys need a host name. Open this server by its name, not its IP address.`
  if (why === 'insecure') return t`Passkeys need HTTPS. Open this server with https:// to add one.`
  const address = origin ?? ''
  if (address !== location.origin)
    return t`The server’s address is set to ${address}. Open that one, or have externalURL corrected.`
  return knowsPasskeys() ? null : t`This browser doesn’t support passkeys.`
}

function explainRemoval(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null
  if (error.status === 409)
    return t`This is your only way to sign in. Set up another before removing it.`
  if (error.status !== 403) return null
  return t`You need a second step to sign in. Set up another before removing this one.`
}

/** A name to begin with. */
function ownDevice(): string {
  const { browser, system } = deviceOf(navigator.userAgent)
  return browser && system ? t`${browser} on ${system}` : (browser ?? system ?? t`Passkey`)
}
