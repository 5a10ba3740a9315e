// A token that was just made: the only moment in which it can be copied.

import { Trans, useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { apiUrl } from '../../api/client.ts'
import { davAddress, type MadeToken } from '../../api/tokens.ts'
import { encodePath } from '../../lib/paths.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { session } from '../../state/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CodeField } from '../../ui/field.tsx'

export function MadeTokenPrompt({ made, isForApp, answer }: PromptProps<'madeToken'>) {
  return (
    <Dialog
      alert
      title={
        isForApp ? (
          <Trans>
            App password “<bdi>{made.name}</bdi>” is ready
          </Trans>
        ) : (
          <Trans>
            Token “<bdi>{made.name}</bdi>” is ready
          </Trans>
        )
      }
      onClose={() => answer(null)}
      footer={
        <Button tone="fill" onClick={() => answer(null)}>
          <Trans>Done</Trans>
        </Button>
      }
    >
      {isForApp ? <ForApp made={made} /> : <ForScript made={made} />}
    </Dialog>
  )
}

function ForScript({ made }: { made: MadeToken }) {
  const { t } = useLingui()
  const command = commandOf(made)
  return (
    <div className="dlg__stack">
      <p className="mid">
        <Trans>Copy the token now and keep it safe. It won’t be shown again.</Trans>
      </p>
      <CodeField
        label={t`Your token`}
        readOnly
        data-autofocus
        value={made.token}
        onChange={() => {}}
        onFocus={(event) => event.currentTarget.select()}
        end={
          <IconButton
            size="sm"
            icon={Copy}
            label={t`Copy token`}
            onClick={() => void copyWithToast(made.token, t`Token copied`)}
          />
        }
      />
      <div className="field">
        <span className="label">
          <Trans>Try it in a terminal</Trans>
        </span>
        <div className="token__command rounded">
          <code dir="ltr">{command}</code>
          <IconButton
            size="sm"
            icon={Copy}
            label={t`Copy command`}
            onClick={() => void copyWithToast(command, t`Command copied`)}
          />
        </div>
      </div>
    </div>
  )
}

/** All that an app asks for. */
function ForApp({ made }: { made: MadeToken }) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  return (
    <div className="dlg__stack">
      <p className="mid">
        <Trans>Enter these in the app. The password won’t be shown again.</Trans>
      </p>
      <Given label={t`Address`} value={davAddress()} />
      <Given label={t`Username`} value={user?.username ?? ''} />
      <Given label={t`App password`} value={made.token} isFirst />
    </div>
  )
}

function Given({ label, value, isFirst }: { label: string; value: string; isFirst?: boolean }) {
  const { t } = useLingui()
  return (
    <CodeField
      label={label}
      readOnly
      data-autofocus={isFirst}
      value={value}
      onChange={() => {}}
      onFocus={(event) => event.currentTarget.select()}
      end={
        <IconButton
          size="sm"
          icon={Copy}
          label={`${t`Copy`}: ${label}`}
          onClick={() => void copyWithToast(value, t`Copied`)}
        />
      }
    />
  )
}

/** Lists the folder of the token. */
function commandOf({ token, folder }: MadeToken): string {
  // Shells read an exclamation mark even between quotation marks.
  const path = encodePath(folder).replaceAll('!', '%21')
  return `curl -H "X-Auth: ${token}" "${location.origin}${apiUrl(`/resources${path}`)}"`
}
