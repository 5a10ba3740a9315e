// API tokens of one's own: what they may do, how long they live, and removing them.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { KeyRound, Plus, Trash2 } from 'lucide-react'
import type { ApiTokenRecord } from '../../src/api-types.ts'
import { deleteToken, listTokens } from '../api/tokens.ts'
import { boot } from '../lib/boot.ts'
import { useMinute } from '../lib/clock.ts'
import { formatEndInText, formatMoment } from '../lib/format.ts'
import { ROOT } from '../lib/paths.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError, toastSuccess } from '../operations/toasts.ts'
import { useOwnRights } from '../prompts/tokens/rights.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { PathText } from '../ui/path-text.tsx'
import { LastUsed, Section, WhenLoaded } from './parts.tsx'
import { useLoad } from './use-load.ts'

/** `turn` counts what changed the tokens elsewhere on the page. */
export function ApiTokens({ turn = 0 }: { turn?: number }) {
  const { t } = useLingui()
  const tokens = useLoad(`tokens ${turn}`, listTokens)

  async function add() {
    const made = await openPrompt('newToken', {})
    if (made === null) return
    tokens.reload()
    await openPrompt('madeToken', { made })
  }

  async function remove({ id, name }: ApiTokenRecord) {
    const answer = await openPrompt('confirm', {
      title: t`Remove this token?`,
      text: t`“${name}” will stop working immediately in every script and app that uses it.`,
      answers: [{ id: 'remove', label: t`Remove token`, tone: 'danger' }],
    })
    if (answer !== 'remove') return
    try {
      await deleteToken(id)
      toastSuccess(t`Token removed`)
    } catch (error) {
      toastError(error)
    }
    tokens.reload()
  }

  // Without signing in anybody could make tokens that work on once signing in is switched on.
  if (boot.NoAuth) return null
  return (
    <Section
      title={t`API tokens`}
      hint={t`Scripts and apps sign in with a token instead of your password.`}
    >
      <WhenLoaded loaded={tokens}>
        {(list) => (
          <>
            {list.length > 0 && (
              <ul className="devices">
                {list.map((token) => (
                  <Token key={token.id} token={token} onRemove={() => void remove(token)} />
                ))}
              </ul>
            )}
            <Button tone="line" icon={Plus} onClick={() => add()}>
              <Trans>New token</Trans>
            </Button>
          </>
        )}
      </WhenLoaded>
    </Section>
  )
}

function Token({ token, onRemove }: { token: ApiTokenRecord; onRemove: () => void }) {
  const { t } = useLingui()
  const { name, folder, perm, expires, lastUsed } = token
  const nowMs = useMinute()
  const rights = useOwnRights().filter(({ right }) => perm[right])
  const expired = expires !== null && Date.parse(expires) <= nowMs
  const ends = expires === null ? '' : formatEndInText(expires, nowMs)
  return (
    <li className="device">
      <KeyRound className="i i-lg mid" aria-hidden />
      <span className="grow token__facts shrinks">
        <span className="row">
          <bdi>{name}</bdi>
          {expired && (
            <Badge tone="warn">
              <time dateTime={expires} data-tip={formatMoment(expires)}>
                <Trans>Expired</Trans>
              </time>
            </Badge>
          )}
        </span>
        <small>
          {folder === ROOT ? t`My files` : <PathText path={folder} />}
          {' · '}
          {rights.map(({ label }) => label).join(' · ') || t`Lists folders only`}
        </small>
        <small>
          {expires === null ? (
            <Trans>Never expires</Trans>
          ) : expired ? null : (
            <time dateTime={expires} data-tip={formatMoment(expires)}>
              <Trans>Expires: {ends}</Trans>
            </time>
          )}
          {!expired && ' · '}
          <LastUsed moment={lastUsed} />
        </small>
      </span>
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

/** Tokens outlive a change of the password: asks whether they shall go as well. */
export async function offerToRemoveTokens(): Promise<void> {
  try {
    const tokens = await listTokens()
    if (tokens.length === 0) return
    const answer = await openPrompt('confirm', {
      title: t`Remove your API tokens too?`,
      text: t`They’ll keep working with the new password. Remove them if someone else may know one.`,
      answers: [{ id: 'remove', label: t`Remove all tokens`, tone: 'danger' }],
    })
    if (answer !== 'remove') return
    for (const { id } of tokens) await deleteToken(id)
    toastSuccess(t`API tokens removed`)
  } catch (error) {
    toastError(error)
  }
}
