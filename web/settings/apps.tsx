// The address for programs that mount or synchronise the files, an app password for each, and how to connect them.

import { Trans, useLingui } from '@lingui/react/macro'
import { Copy, Plus, QrCode } from 'lucide-react'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import { davAddress } from '../api/tokens.ts'
import { boot } from '../lib/boot.ts'
import { copyWithToast } from '../operations/copy-text.ts'
import { openPrompt } from '../operations/prompts.ts'
import { session } from '../state/session.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { CodeField, Select } from '../ui/field.tsx'
import { Qr } from '../ui/qr.tsx'
import { Section } from './parts.tsx'

type App = 'windows' | 'macos' | 'linux' | 'phone' | 'rclone' | 'curl'

/** `onMade` is told of a new app password. */
export function Apps({ onMade }: { onMade: () => void }) {
  const { t } = useLingui()
  const [showQr, setShowQr] = useState(false)
  const [app, setApp] = useState<App>('windows')
  const address = davAddress()

  async function add() {
    const made = await openPrompt('newToken', { isForApp: true })
    if (made === null) return
    onMade()
    await openPrompt('madeToken', { made, isForApp: true })
  }

  if (!boot.Dav) return null
  return (
    <Section
      title={t`Apps and devices`}
      hint={t`Mount your files as a drive or keep them in sync. Use this address, your username and an app password.`}
    >
      <div className="apps stack">
        <CodeField
          label={t`Address`}
          readOnly
          value={address}
          onChange={() => {}}
          onFocus={(event) => event.currentTarget.select()}
          end={
            <>
              <IconButton
                size="sm"
                icon={Copy}
                label={`${t`Copy`}: ${t`Address`}`}
                onClick={() => void copyWithToast(address, t`Copied`)}
              />
              <IconButton
                size="sm"
                icon={QrCode}
                label={t`QR code`}
                pressed={showQr}
                aria-expanded={showQr}
                onClick={() => setShowQr(!showQr)}
              />
            </>
          }
        />
        {showQr && <Qr text={address} sizePx={160} label={t`QR code`} />}
        <Select
          label={t`How to connect`}
          value={app}
          onChange={(value) => setApp(value as App)}
          options={[
            { value: 'windows', label: 'Windows' },
            { value: 'macos', label: 'macOS' },
            { value: 'linux', label: 'GNOME, KDE' },
            { value: 'phone', label: t`Phone` },
            { value: 'rclone', label: 'rclone' },
            { value: 'curl', label: 'curl' },
          ]}
        />
        <Steps app={app} address={address} />
        {/* Without signing in nobody is asked. */}
        {!boot.NoAuth && (
          <Button tone="line" icon={Plus} onClick={() => add()}>
            <Trans>New app password</Trans>
          </Button>
        )}
      </div>
    </Section>
  )
}

function Steps({ app, address }: { app: App; address: string }) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const username = user?.username ?? ''
  const command = commandOf(app, address, username)
  if (command !== null)
    return (
      <div className="token__command rounded">
        <code dir="ltr">{command}</code>
        <IconButton
          size="sm"
          icon={Copy}
          label={t`Copy command`}
          onClick={() => void copyWithToast(command, t`Command copied`)}
        />
      </div>
    )
  const gnome = address.replace(/^http/, 'dav')
  const kde = address.replace(/^http/, 'webdav')
  return (
    <p className="fs-md mid token__facts">
      {app === 'windows' && (
        <Trans>
          In Explorer, right-click “This PC”, choose “Map network drive” and enter the address as
          the folder. Windows needs https, and opens no files over 50 MB until that limit is raised.
        </Trans>
      )}
      {app === 'macos' && (
        <Trans>In Finder, choose “Connect to Server” in the “Go” menu and enter the address.</Trans>
      )}
      {app === 'linux' && (
        <Trans>
          In the file manager, press Ctrl + L and enter <bdi>{gnome}</bdi> (GNOME) or{' '}
          <bdi>{kde}</bdi> (KDE).
        </Trans>
      )}
      {app === 'phone' && (
        <Trans>
          Use an app that supports WebDAV, such as Material Files for Android or Documents for
          iPhone, and enter the address there.
        </Trans>
      )}
    </p>
  )
}

/** What is typed into a terminal. Both wait for the password, which so stays out of the history of the shell. */
function commandOf(app: App, address: string, username: string): string | null {
  const name = `'${username.replaceAll("'", `'\\''`)}'`
  if (app === 'curl') return `curl -u ${name} -T file.txt '${address}'`
  if (app !== 'rclone') return null
  return `rclone config create files webdav url='${address}' vendor=owncloud user=${name} pass="$(rclone obscure -)"`
}
