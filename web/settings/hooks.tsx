// What happens around events: commands on the server, and addresses on the web that are told.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, Plus, X } from 'lucide-react'
import type { Webhook } from '../../src/api-types.ts'
import { Badge, Chip } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Switch } from '../ui/toggle.tsx'

export const EVENTS = ['upload', 'save', 'copy', 'rename', 'delete'] as const
const MOMENTS = ['before', 'after'] as const

export type HookName = `${(typeof MOMENTS)[number]}_${(typeof EVENTS)[number]}`

const HOOK_NAMES: readonly HookName[] = EVENTS.flatMap((event) =>
  MOMENTS.map((moment): HookName => `${moment}_${event}`),
)

function useHookLabels(): Record<HookName, string> {
  const { t } = useLingui()
  return {
    before_upload: t`Before an upload`,
    after_upload: t`After an upload`,
    before_save: t`Before saving a file`,
    after_save: t`After saving a file`,
    before_copy: t`Before copying`,
    after_copy: t`After copying`,
    before_rename: t`Before renaming or moving`,
    after_rename: t`After renaming or moving`,
    before_delete: t`Before deleting`,
    after_delete: t`After deleting`,
  }
}

/** Command lines per event, one text each. */
export function CommandHooks({
  commands,
  onChange,
}: {
  commands: Record<string, string>
  onChange: (commands: Record<string, string>) => void
}) {
  const { t } = useLingui()
  const labels = useHookLabels()
  return HOOK_NAMES.map((name) => {
    const text = commands[name] ?? ''
    const count = text.split('\n').filter((line) => line.trim() !== '').length
    return (
      <details key={name} className="fold">
        <summary>
          <ChevronRight className="i i-sm flip" aria-hidden />
          <span className="grow">{labels[name]}</span>
          {count > 0 && <Badge tone="accent">{count}</Badge>}
        </summary>
        <div className="fold__body mono-field">
          <TextArea
            label={labels[name]}
            hideLabel
            hint={t`One command per line.`}
            dir="ltr"
            rows={3}
            spellCheck={false}
            value={text}
            onChange={(value) => onChange({ ...commands, [name]: value })}
          />
        </div>
      </details>
    )
  })
}

/** True for addresses the server can send to. */
export function isWebAddress(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text).protocol)
  } catch {
    return false
  }
}

export function Webhooks({
  webhooks,
  secret,
  onChange,
  strict,
}: {
  webhooks: readonly Webhook[]
  /** Key of the signature; empty when it is none of ours to show. */
  secret: string
  onChange: (webhooks: Webhook[]) => void
  strict: boolean
}) {
  const { t } = useLingui()
  const labels = useHookLabels()

  function edit(at: number, change: Partial<Webhook>) {
    onChange(webhooks.map((hook, index) => (index === at ? { ...hook, ...change } : hook)))
  }

  function toggle(at: number, hook: Webhook, event: string) {
    const events = hook.events.includes(event)
      ? hook.events.filter((each) => each !== event)
      : [...hook.events, event]
    edit(at, { events })
  }

  return (
    <>
      {webhooks.map((hook, at) => {
        const place = at + 1
        const wrong = hook.url !== '' || strict ? !isWebAddress(hook.url) : false
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: webhooks have no identity but their place
          <fieldset className="hookcard" key={at} aria-label={t`Webhook ${place}`}>
            <div className="hookcard__top">
              <TextField
                className="mono-field"
                label={t`Address of webhook ${place}`}
                hideLabel
                type="url"
                dir="ltr"
                placeholder="https://example.org/hook"
                value={hook.url}
                error={wrong ? t`Enter an address that starts with https:// or http://.` : null}
                onChange={(url) => edit(at, { url })}
              />
              <Switch
                label={t`Active`}
                checked={hook.enabled}
                onChange={(enabled) => edit(at, { enabled })}
              />
              <IconButton
                size="sm"
                icon={X}
                label={t`Remove webhook ${place}`}
                onClick={() => onChange(webhooks.filter((_, index) => index !== at))}
              />
            </div>
            <div className="hookcard__events">
              {HOOK_NAMES.map((name) => (
                <Chip
                  key={name}
                  pressed={hook.events.includes(name)}
                  onClick={() => toggle(at, hook, name)}
                >
                  {labels[name]}
                </Chip>
              ))}
            </div>
            {strict && hook.events.length === 0 && (
              <span className="err" role="alert">
                <Trans>Choose at least one event.</Trans>
              </span>
            )}
          </fieldset>
        )
      })}
      <Button
        size="sm"
        className="add"
        icon={Plus}
        onClick={() =>
          onChange([...webhooks, { url: '', events: ['after_upload'], enabled: true }])
        }
      >
        <Trans>Add webhook</Trans>
      </Button>
      {webhooks.length > 0 && secret !== '' && (
        <TextField
          className="mono-field"
          label={t`Signing key`}
          hint="X-FileBrowser-Signature: sha256=HMAC(body)"
          dir="ltr"
          readOnly
          value={secret}
          onChange={() => {}}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  )
}
