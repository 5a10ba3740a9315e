// The settings of the instance: accounts, branding, uploads, rules, defaults, hooks.

import { Trans, useLingui } from '@lingui/react/macro'
import type { SettingsRecord } from '../../src/api-types.ts'
import { getSettings, putSettings } from '../api/settings.ts'
import { switchableLanguages } from '../layout/switches.tsx'
import { boot } from '../lib/boot.ts'
import { applyAccent, isHexColour } from '../lib/colour.ts'
import { toastSuccess } from '../operations/toasts.ts'
import { setInstanceTheme } from '../state/prefs.ts'
import { NumberField, Select, TextField } from '../ui/field.tsx'
import { Switch } from '../ui/toggle.tsx'
import { BrandingFields } from './branding.tsx'
import { ChunkSizeField } from './chunk-size-field.tsx'
import { type GlobalDraft, globalDraftOf, settingsOf } from './global-draft.ts'
import { CommandHooks, isWebAddress, Webhooks } from './hooks.tsx'
import { Line, SaveBar, Section, WhenLoaded } from './parts.tsx'
import { setMinimumPasswordLength } from './password-length.ts'
import { useForm } from './use-form.ts'
import { useLoad } from './use-load.ts'
import { PermissionFields } from './users/permission-fields.tsx'
import { problemOf } from './users/rule-draft.ts'
import { RulesEditor } from './users/rules.tsx'
import { WordField } from './word-field.tsx'

export function GlobalPage() {
  const settings = useLoad('settings', getSettings)
  return <WhenLoaded loaded={settings}>{(data) => <GlobalForm settings={data} />}</WhenLoaded>
}

function isComplete(draft: GlobalDraft): boolean {
  const { color } = draft.branding
  return (
    draft.minimumPasswordLength !== null &&
    draft.minimumPasswordLength >= 1 &&
    draft.retryCount !== null &&
    draft.retryCount >= 0 &&
    (color.trim() === '' || isHexColour(color.trim())) &&
    draft.rules.every((rule) => problemOf(rule, null) === null) &&
    draft.webhooks.every((hook) => isWebAddress(hook.url) && hook.events.length > 0)
  )
}

function GlobalForm({ settings }: { settings: SettingsRecord }) {
  const { t } = useLingui()
  const form = useForm<GlobalDraft>(globalDraftOf(settings), save)
  const { draft, set } = form
  const late = form.attempts > 0
  const { defaults } = draft
  const setDefaults = (change: Partial<typeof defaults>) =>
    set({ defaults: { ...defaults, ...change } })

  async function save(next: GlobalDraft): Promise<GlobalDraft | null> {
    if (!isComplete(next)) {
      // The messages appear with the attempt; the first of them is brought into sight.
      requestAnimationFrame(() => {
        document.querySelector('.set__page .err')?.scrollIntoView({ block: 'center' })
      })
      return null
    }
    const record = settingsOf(next)
    await putSettings(record)
    setInstanceTheme(record.branding.theme)
    applyAccent(record.branding.color)
    setMinimumPasswordLength(record.minimumPasswordLength)
    toastSuccess(t`Settings saved`)
    return globalDraftOf(await getSettings())
  }

  return (
    <div className="form">
      <Section title={t`Accounts`}>
        <Switch
          label={t`Allow people to sign up`}
          checked={draft.signup}
          onChange={(signup) => set({ signup })}
        />
        <Switch
          label={t`Create a home folder for new users`}
          checked={draft.createUserDir}
          onChange={(createUserDir) => set({ createUserDir })}
        />
        <Switch
          label={t`Hide the login link on public pages`}
          checked={draft.hideLoginButton}
          onChange={(hideLoginButton) => set({ hideLoginButton })}
        />
        <Line label={t`Home folder base path`}>
          <TextField
            className="mono-field"
            label={t`Home folder base path`}
            hideLabel
            dir="ltr"
            spellCheck={false}
            value={draft.userHomeBasePath}
            onChange={(userHomeBasePath) => set({ userHomeBasePath })}
          />
        </Line>
        <Line label={t`Minimum password length`} narrow>
          <NumberField
            label={t`Minimum password length`}
            hideLabel
            min={1}
            max={72}
            value={draft.minimumPasswordLength}
            error={
              draft.minimumPasswordLength === null || draft.minimumPasswordLength < 1
                ? t`At least 1.`
                : null
            }
            onChange={(minimumPasswordLength) => set({ minimumPasswordLength })}
          />
        </Line>
      </Section>

      <Section title={t`Branding`}>
        <BrandingFields branding={draft.branding} onChange={(branding) => set({ branding })} />
      </Section>

      <Section
        title={t`Resumable uploads`}
        hint={t`Large files travel in pieces and continue after a lost connection.`}
      >
        <Line
          narrow
          label={t`Chunk size`}
          hint={t`B, KB, MB, GB or TB. Anything else falls back to 1 MB.`}
        >
          <ChunkSizeField value={draft.chunkSize} onChange={(chunkSize) => set({ chunkSize })} />
        </Line>
        <Line label={t`Retries`} narrow>
          <NumberField
            label={t`Retries`}
            hideLabel
            min={0}
            value={draft.retryCount}
            error={draft.retryCount === null || draft.retryCount < 0 ? t`0 or more.` : null}
            onChange={(retryCount) => set({ retryCount })}
          />
        </Line>
      </Section>

      <Section
        title={t`Global rules`}
        hint={t`For everyone. Read from top to bottom; the last match wins.`}
      >
        <RulesEditor rules={draft.rules} strict={late} onChange={(rules) => set({ rules })} />
      </Section>

      <Section title={t`Defaults for new users`} hint={t`Accounts start with these values.`}>
        <div className="pair">
          <TextField
            className="mono-field"
            label={t`Scope`}
            dir="ltr"
            spellCheck={false}
            value={defaults.scope}
            onChange={(scope) => setDefaults({ scope })}
          />
          <Select
            label={t`Language`}
            value={defaults.locale}
            onChange={(locale) => setDefaults({ locale })}
            options={switchableLanguages(defaults.locale)}
          />
          <Select
            label={t`View`}
            value={defaults.viewMode}
            onChange={(viewMode) => setDefaults({ viewMode })}
            options={[
              { value: 'list', label: t`List` },
              { value: 'mosaic', label: t`Grid` },
              { value: 'mosaic gallery', label: t`Gallery` },
            ]}
          />
        </div>
        <Switch
          label={t`Hide dotfiles`}
          checked={defaults.hideDotfiles}
          onChange={(hideDotfiles) => setDefaults({ hideDotfiles })}
        />
        <Switch
          label={t`Open with a single click`}
          checked={defaults.singleClick}
          onChange={(singleClick) => setDefaults({ singleClick })}
        />
        <Switch
          label={t`Go to the target after copy or move`}
          checked={defaults.redirectAfterCopyMove}
          onChange={(redirectAfterCopyMove) => setDefaults({ redirectAfterCopyMove })}
        />
        <Switch
          label={t`Show exact dates`}
          checked={defaults.dateFormat}
          onChange={(dateFormat) => setDefaults({ dateFormat })}
        />
        <PermissionFields perm={defaults.perm} onChange={(perm) => setDefaults({ perm })} />
        {boot.EnableExec && (
          <WordField
            label={t`Commands`}
            placeholder={t`Add a command`}
            words={defaults.commands}
            onChange={(commands) => setDefaults({ commands })}
          />
        )}
      </Section>

      <Section
        title={t`Webhooks`}
        hint={t`Addresses that are told about events by a POST request with JSON.`}
      >
        <Webhooks
          webhooks={draft.webhooks}
          secret={draft.webhookSecret ?? ''}
          strict={late}
          onChange={(webhooks) => set({ webhooks })}
        />
      </Section>

      {boot.EnableExec && (
        <>
          <Section
            title={t`Command hooks`}
            hint={
              <Trans>
                Commands that run on the server. They find the path in{' '}
                <span className="mono">FILE</span>, the user in{' '}
                <span className="mono">USERNAME</span> and the target of a copy or move in{' '}
                <span className="mono">DESTINATION</span>.
              </Trans>
            }
          >
            <CommandHooks commands={draft.commands} onChange={(commands) => set({ commands })} />
          </Section>
          <Section
            title={t`Shell`}
            hint={t`The program that runs commands, with its arguments. Empty runs them directly.`}
          >
            <TextField
              className="mono-field"
              label={t`Shell`}
              hideLabel
              dir="ltr"
              spellCheck={false}
              placeholder="/bin/sh -c"
              value={draft.shell}
              onChange={(shell) => set({ shell })}
            />
          </Section>
        </>
      )}
      <SaveBar form={form} />
    </div>
  )
}
