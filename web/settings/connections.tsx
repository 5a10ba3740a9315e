// The provider: whom one is there, and for administrators what has to be entered at it.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link2, Unlink } from 'lucide-react'
import type { OwnIdentityRecord } from '../../src/provider-types.ts'
import { getOwnIdentity, getProvider, removeOwnIdentity } from '../api/provider.ts'
import { ProviderNote } from '../layout/provider.tsx'
import { boot } from '../lib/boot.ts'
import { dropGuard, mayLeave, useQuery } from '../lib/page/navigate.ts'
import { provider, providerUrl } from '../lib/provider.ts'
import { openPrompt } from '../operations/prompts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CodeLine, Section, WhenLoaded } from './parts.tsx'
import { useLoad } from './use-load.ts'

/** In one's own profile. */
export function Connection() {
  const { t } = useLingui()
  const own = useLoad('identity', getOwnIdentity)
  const problem = useQuery().get('error') ?? ''
  const label = provider?.Label ?? ''
  return (
    <Section title={t`Sign in with ${label}`}>
      {problem === 'exists' && (
        <div className="note tone-danger" role="alert">
          <Trans>That provider account belongs to another user, or this account has another.</Trans>
        </div>
      )}
      {problem !== 'exists' && <ProviderNote word={problem} />}
      <WhenLoaded loaded={own}>
        {(identity) => <Connected identity={identity} onChange={own.reload} />}
      </WhenLoaded>
    </Section>
  )
}

function Connected({ identity, onChange }: { identity: OwnIdentityRecord; onChange: () => void }) {
  const { username, hasPassword } = identity
  if (username === null)
    return (
      <div className="factor__acts row">
        <Button tone="line" icon={Link2} onClick={() => connect()}>
          <Trans>Connect</Trans>
        </Button>
      </div>
    )
  return (
    <div className="factor__acts row wraps">
      <Badge tone="ok">
        <Trans>
          Connected as <bdi>{username}</bdi>
        </Trans>
      </Badge>
      {hasPassword && (
        <Button tone="danger-text" icon={Unlink} onClick={() => disconnect(onChange)}>
          <Trans>Disconnect</Trans>
        </Button>
      )}
    </div>
  )
}

async function connect(): Promise<void> {
  if (!(await mayLeave())) return
  const label = provider?.Label ?? ''
  if (boot.AuthMethod === 'json') {
    const answer = await openPrompt('currentPassword', {
      title: t`Sign in with ${label}`,
      text: t`The next person who signs in there will open this account.`,
      confirmLabel: t`Connect`,
      attempt: async () => {},
    })
    if (answer === null) return
  }
  dropGuard()
  location.assign(providerUrl('connect', '/settings/profile'))
}

async function disconnect(onChange: () => void): Promise<void> {
  const label = provider?.Label ?? ''
  const answer = await openPrompt('currentPassword', {
    title: t`Sign in with ${label}`,
    text: t`You’ll sign in with your password from then on.`,
    confirmLabel: t`Disconnect`,
    tone: 'danger',
    attempt: removeOwnIdentity,
  })
  if (answer === null) return
  onChange()
}

/** In the global settings, to read only: it is configured where the server is started. */
export function ProviderFacts() {
  const { t } = useLingui()
  const label = provider?.Label ?? ''
  const loaded = useLoad('provider', getProvider)
  const plain = { readOnly: true, onChange: () => {} }
  return (
    <Section
      title={t`Sign in with ${label}`}
      hint={t`Set up in the server’s configuration. Enter these addresses at the provider.`}
    >
      <WhenLoaded loaded={loaded}>
        {({ issuer, redirectURI, logoutURI, afterLogoutURI, problem }) => (
          <>
            {problem === '' ? (
              <Badge tone="ok">
                <Trans>On</Trans>
              </Badge>
            ) : (
              <>
                <ProviderNote word="unreachable" />
                <p className="fs-md dim" dir="ltr">
                  {problem}
                </p>
              </>
            )}
            {/* What these are called at every provider. */}
            <CodeLine label="issuer" value={issuer} {...plain} />
            <CodeLine label="redirect_uri" value={redirectURI} {...plain} />
            <CodeLine label="backchannel_logout_uri" value={logoutURI} {...plain} />
            <CodeLine label="post_logout_redirect_uri" value={afterLogoutURI} {...plain} />
          </>
        )}
      </WhenLoaded>
    </Section>
  )
}
