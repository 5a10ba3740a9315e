// Asks for the password in place when a session ends, over whatever is on the screen: the call that
// was refused is made again afterwards, and nothing typed is lost.

import { Trans, useLingui } from '@lingui/react/macro'
import { useSnapshot } from 'valtio'
import { ProviderWindow } from '../layout/provider.tsx'
import { provider } from '../lib/provider.ts'
import { giveUp, session } from '../state/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { LoginForm } from './login-form.tsx'

export function SignInAgain() {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  return (
    <Dialog size="sm" guarded alert title={t`Your session has ended`} onClose={giveUp}>
      <div className="dlg__stack">
        <p className="mid">
          <Trans>Sign in again to continue where you left off.</Trans>
        </p>
        {provider && <ProviderWindow />}
        {!provider?.Alone && (
          <LoginForm mode="login" username={user?.username ?? ''} onDone={() => {}} />
        )}
        <Button block onClick={giveUp}>
          <Trans>Go to sign-in page</Trans>
        </Button>
      </div>
    </Dialog>
  )
}
