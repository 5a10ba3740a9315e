// One's own preferences, password and signed-in devices.

import { Trans, useLingui } from '@lingui/react/macro'
import { MonitorDown } from 'lucide-react'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import type { TokenUser } from '../../src/access-types.ts'
import type { OnDelete, Preferences } from '../../src/keep-types.ts'
import { updateUser } from '../api/users.ts'
import { switchableLanguages } from '../layout/switches.tsx'
import { boot, hasTrash } from '../lib/boot.ts'
import type { FormPart } from '../lib/form-part.ts'
import { loadLocale, matchLocale, rememberLocale } from '../lib/i18n.ts'
import { provider } from '../lib/provider.ts'
import { toastSuccess } from '../operations/toasts.ts'
import { install, installProgram } from '../state/install.ts'
import { loadPreferences, setPreferences } from '../state/preferences.ts'
import { prefs, setTheme, type ThemeChoice } from '../state/prefs.ts'
import { renewSession, session } from '../state/session.ts'
import { Button } from '../ui/button.tsx'
import { Segmented, Switch } from '../ui/toggle.tsx'
import { Apps } from './apps.tsx'
import { Connection } from './connections.tsx'
import { Devices } from './devices.tsx'
import { editorThemes } from './editor-themes.ts'
import { Line, SaveBar, Section, SelectLine, WhenLoaded } from './parts.tsx'
import { Passkeys } from './passkeys.tsx'
import { SecondFactor } from './second-factor.tsx'
import { ApiTokens, offerToRemoveTokens } from './tokens.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { type Form, useForm } from './use-form.ts'
import { useLoad } from './use-load.ts'
import { type Browsing, BrowsingSwitches } from './users/browsing-switches.tsx'
import { type PasswordDraft, PasswordSection, usePasswordChange } from './users/password-change.tsx'

interface Draft extends Browsing, Pick<TokenUser, 'locale' | 'aceEditorTheme'>, PasswordDraft {
  preferences: Preferences
}

function draftOf(user: TokenUser, preferences: Preferences): Draft {
  const { hideDotfiles, singleClick, dateFormat, aceEditorTheme } = user
  return {
    ...{ hideDotfiles, singleClick, dateFormat, aceEditorTheme, preferences },
    locale: matchLocale(user.locale) ?? user.locale,
    newPassword: '',
    repeated: '',
  }
}

export function ProfilePage() {
  const preferences = useLoad('preferences', loadPreferences)
  return <WhenLoaded loaded={preferences}>{(data) => <Profile preferences={data} />}</WhenLoaded>
}

function Profile({ preferences }: { preferences: Preferences }) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const form = useForm<Draft>(draftOf(user as TokenUser, preferences), save)
  const passwords = usePasswordChange(form)
  const [tokensTurn, setTokensTurn] = useState(0)
  if (!user) return null

  // Only accounts that sign in with a password here have one to change.
  const changesPassword = boot.LoginPage && !boot.NoAuth && !user.lockPassword

  async function save(next: Draft): Promise<Draft | null> {
    const id = session.user?.id
    if (id === undefined || !(await passwords.save(id))) return null
    const { newPassword, repeated, preferences, ...fields } = next
    await updateUser(id, fields)
    if (preferences !== form.saved.preferences) await setPreferences(preferences)
    await renewSession()
    await loadLocale(fields.locale)
    rememberLocale(fields.locale)
    toastSuccess(passwords.touched ? t`Password and settings saved` : t`Settings saved`)
    if (passwords.touched)
      void offerToRemoveTokens().then(() => setTokensTurn((before) => before + 1))
    return { ...fields, preferences, newPassword: '', repeated: '' }
  }

  function discard() {
    form.discard()
    passwords.clear()
  }

  return (
    <div className="form">
      <Section title={t`File list`}>
        <BrowsingSwitches hints toggle={form.toggle} />
        <PreferenceFields {...form.part('preferences')} />
      </Section>

      <AppearanceSection {...form} />

      {changesPassword && <PasswordSection username={user.username} change={passwords} />}
      {user.lockPassword && (
        <Section title={t`Password`}>
          <p className="mid">
            <Trans>
              An administrator has turned off password changes. Ask them to change it for you.
            </Trans>
          </p>
        </Section>
      )}

      {provider && <Connection />}
      <SecondFactor />
      <Passkeys />
      <Devices />
      <InstallSection />
      <Apps onMade={() => setTokensTurn((before) => before + 1)} />
      <ApiTokens turn={tokensTurn} />
      <UnfinishedUploads />
      <SaveBar form={{ ...form, discard }} />
    </div>
  )
}

/** Where the browser offers it. */
function InstallSection() {
  const { t } = useLingui()
  const { isOffered } = useSnapshot(install)
  if (!isOffered) return null
  return (
    <Section
      title={t`Install as an app`}
      hint={t`Opens in its own window, appears where you share files, and shows your last folders offline.`}
    >
      <Button tone="line" icon={MonitorDown} onClick={() => void installProgram()}>
        <Trans>Install</Trans>
      </Button>
    </Section>
  )
}

/** What the page does after a copy or move and, where the server has a trash, by Delete. */
function PreferenceFields({ draft, set, toggle }: FormPart<Preferences>) {
  const { t } = useLingui()
  return (
    <>
      <Switch label={t`Open the destination after copying or moving`} {...toggle('openTarget')} />
      {hasTrash && (
        <SelectLine
          label={t`Delete`}
          hint={t`Shift + Delete always deletes for good.`}
          value={draft.onDelete}
          onChange={(to) => set({ onDelete: to as OnDelete })}
          options={[
            { value: 'trash', label: t`Move to the trash` },
            { value: 'ask', label: t`Ask first, then move to the trash` },
            { value: 'gone', label: t`Delete for good` },
          ]}
        />
      )}
    </>
  )
}

function AppearanceSection({ draft, field }: Form<Draft>) {
  const { t } = useLingui()
  const { theme } = useSnapshot(prefs)
  return (
    <Section title={t`Appearance and language`}>
      <Line label={t`Theme`} hint={t`Saved in this browser.`}>
        <Segmented<ThemeChoice>
          label={t`Theme`}
          value={theme}
          onChange={setTheme}
          options={[
            { value: 'system', label: t`System` },
            { value: 'light', label: t`Light` },
            { value: 'dark', label: t`Dark` },
          ]}
        />
      </Line>
      <SelectLine
        label={t`Language`}
        {...field('locale')}
        options={switchableLanguages(draft.locale)}
      />
      <SelectLine
        label={t`Editor theme`}
        {...field('aceEditorTheme')}
        options={[
          { value: '', label: t`Same as interface` },
          ...editorThemes(draft.aceEditorTheme),
        ]}
      />
    </Section>
  )
}
