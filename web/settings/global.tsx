// The settings of the instance: accounts, branding, uploads, rules, defaults, hooks.

import { Trans, useLingui } from '@lingui/react/macro'
import type { SettingsRecord } from '../../src/api-types.ts'
import { getSettings, putSettings } from '../api/settings.ts'
import { switchableLanguages } from '../layout/switches.tsx'
import { boot, hasTrash } from '../lib/boot.ts'
import { applyAccent, isHexColour } from '../lib/colour.ts'
import type { FormPart } from '../lib/form-part.ts'
import { provider } from '../lib/provider.ts'
import { toastSuccess } from '../operations/toasts.ts'
import { setInstanceTheme } from '../state/prefs.ts'
import { CodeField, Select } from '../ui/field.tsx'
import { Switch } from '../ui/toggle.tsx'
import { BrandingFields } from './branding.tsx'
import { ChunkSizeField } from './chunk-size-field.tsx'
import { ProviderFacts } from './connections.tsx'
import { type GlobalDraft, globalDraftOf, settingsOf } from './global-draft.ts'
import { CommandHooks, isWebAddress, Webhooks } from './hooks.tsx'
import { isAge, isShare, KeptSection } from './kept/kept-section.tsx'
import { NodesSection } from './nodes/nodes.tsx'
import { CodeLine, Line, NumberLine, SaveBar, Section, SelectLine, WhenLoaded } from './parts.tsx'
import { type Form, useForm } from './use-form.ts'
import { useLoad } from './use-load.ts'
import { BrowsingSwitches } from './users/browsing-switches.tsx'
import { setMinimumPasswordLength } from './users/password-length.ts'
import { PermissionFields } from './users/permission-fields.tsx'
import { problemOf } from './users/rule-draft.ts'
import { RulesEditor } from './users/rules.tsx'
import { hasSecondFactors } from './users/user-factor.tsx'
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
    (!hasTrash || (isAge(draft.keepAge) && isShare(draft.keepSize))) &&
    (color.trim() === '' || isHexColour(color.trim())) &&
    draft.rules.every((rule) => problemOf(rule, null) === null) &&
    draft.webhooks.every((hook) => isWebAddress(hook.url) && hook.events.length > 0)
  )
}

function GlobalForm({ settings }: { settings: SettingsRecord }) {
  const { t } = useLingui()
  const form = useForm<GlobalDraft>(globalDraftOf(settings), save)
  const { draft, field } = form
  const late = form.attempts > 0

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
      <AccountsSection {...form} />
      {boot.Nodes && <NodesSection />}
      {provider && <ProviderFacts />}

      <Section title={t`Branding`}>
        <BrandingFields {...form.part('branding')} />
      </Section>

      <UploadsSection {...form} />
      {hasTrash && <KeptSection {...form} />}

      <Section
        title={t`Global rules`}
        hint={t`Applies to everyone. Rules are checked from top to bottom; the last match wins.`}
      >
        <RulesEditor strict={late} {...field('rules')} />
      </Section>

      <DefaultsSection {...form.part('defaults')} />

      <Section
        title={t`Webhooks`}
        hint={t`URLs that receive a POST request with JSON when an event happens.`}
      >
        <Webhooks secret={draft.webhookSecret ?? ''} strict={late} {...field('webhooks')} />
      </Section>

      {boot.EnableExec && <CommandSections {...form} />}
      <SaveBar form={form} />
    </div>
  )
}

function AccountsSection({ draft, field, toggle }: Form<GlobalDraft>) {
  const { t } = useLingui()
  return (
    <Section title={t`Accounts`}>
      <Switch label={t`Allow sign-up`} {...toggle('signup')} />
      <Switch label={t`Create a home folder for new users`} {...toggle('createUserDir')} />
      <Switch label={t`Hide the sign-in link on public pages`} {...toggle('hideLoginButton')} />
      <CodeLine label={t`Home folder base path`} {...field('userHomeBasePath')} />
      <NumberLine
        label={t`Minimum password length`}
        narrow
        min={1}
        max={72}
        {...field('minimumPasswordLength')}
        error={(draft.minimumPasswordLength ?? 0) < 1 && t`At least 1.`}
      />
      {hasSecondFactors() && (
        <SelectLine
          label={t`Two-step sign-in`}
          hint={draft.secondFactorFixed && t`Set when the server was started.`}
          disabled={draft.secondFactorFixed}
          {...field('secondFactor')}
          options={[
            { value: 'off', label: t`Off` },
            { value: 'optional', label: t`Optional` },
            { value: 'administrators', label: t`Required for administrators` },
            { value: 'everyone', label: t`Required for everyone` },
          ]}
        />
      )}
    </Section>
  )
}

function UploadsSection({ draft, field }: Form<GlobalDraft>) {
  const { t } = useLingui()
  return (
    <Section
      title={t`Resumable uploads`}
      hint={t`Large files are uploaded in chunks and resume after a lost connection.`}
    >
      <Line
        narrow
        label={t`Chunk size`}
        hint={t`B, KB, MB, GB or TB. Anything else falls back to 1 MB.`}
      >
        <ChunkSizeField {...field('chunkSize')} />
      </Line>
      <NumberLine
        label={t`Retries`}
        narrow
        min={0}
        {...field('retryCount')}
        error={(draft.retryCount ?? -1) < 0 && t`0 or more.`}
      />
    </Section>
  )
}

function DefaultsSection({ draft: defaults, field, toggle }: FormPart<SettingsRecord['defaults']>) {
  const { t } = useLingui()
  return (
    <Section title={t`Defaults for new users`} hint={t`Default values for new accounts.`}>
      <div className="pair stack">
        <CodeField label={t`Root folder`} {...field('scope')} />
        <Select
          label={t`Language`}
          {...field('locale')}
          options={switchableLanguages(defaults.locale)}
        />
        <Select
          label={t`View`}
          {...field('viewMode')}
          options={[
            { value: 'list', label: t`List` },
            { value: 'mosaic', label: t`Grid` },
            { value: 'mosaic gallery', label: t`Gallery` },
          ]}
        />
      </div>
      <BrowsingSwitches toggle={toggle} />
      <PermissionFields {...field('perm')} />
      {boot.EnableExec && (
        <WordField label={t`Commands`} placeholder={t`Add a command`} {...field('commands')} />
      )}
    </Section>
  )
}

function CommandSections({ field }: Form<GlobalDraft>) {
  const { t } = useLingui()
  return (
    <>
      <Section
        title={t`Command hooks`}
        hint={
          <Trans>
            Commands that run on the server. Variables: <span className="mono">FILE</span> (path),{' '}
            <span className="mono">USERNAME</span> (user), <span className="mono">DESTINATION</span>{' '}
            (target of a copy or move).
          </Trans>
        }
      >
        <CommandHooks {...field('commands')} />
      </Section>
      <Section
        title={t`Shell`}
        hint={t`Program and arguments used to run commands. Leave empty to run them directly.`}
      >
        <CodeField label={t`Shell`} hideLabel placeholder="/bin/sh -c" {...field('shell')} />
      </Section>
    </>
  )
}
