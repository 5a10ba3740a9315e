// What happens around events: commands on the server, and addresses on the web that are told.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, Plus, X } from 'lucide-react'
import type { Webhook } from '../../src/api-types.ts'
import { type ControlProps, partOf } from '../lib/form-part.ts'
import { Badge, Chip } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { CodeField, TextArea } from '../ui/field.tsx'
import { Switch } from '../ui/toggle.tsx'

export const EVENTS = ['upload', 'save', 'copy', 'rename', 'delete'] as const
const MOMENTS = ['before', 'after'] as const

type HookName = `${(typeof MOMENTS)[number]}_${(typeof EVENTS)[number]}`

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
export function CommandHooks({ value: commands, onChange }: ControlProps<Record<string, string>>) {
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

interface WebhooksProps extends ControlProps<Webhook[]> {
  /** Key of the signature; empty when it is none of ours to show. */
  secret: string
  strict: boolean
}

export function Webhooks({ value: webhooks, secret, onChange, strict }: WebhooksProps) {
  const { t } = useLingui()
  const added = { url: '', events: ['after_upload'], enabled: true }
  return (
    <>
      {webhooks.map((hook, at) => (
        <WebhookCard
          // biome-ignore lint/suspicious/noArrayIndexKey: webhooks have no identity but their place
          key={at}
          hook={hook}
          place={at + 1}
          strict={strict}
          onEdit={(change) =>
            onChange(webhooks.map((each) => (each === hook ? { ...hook, ...change } : each)))
          }
          onRemove={() => onChange(webhooks.filter((each) => each !== hook))}
        />
      ))}
      <Button size="sm" className="add" icon={Plus} onClick={() => onChange([...webhooks, added])}>
        <Trans>Add webhook</Trans>
      </Button>
      {webhooks.length > 0 && secret !== '' && (
        <CodeField
          label={t`Signing key`}
          hint="X-FileBrowser-Signature: sha256=HMAC(body)"
          readOnly
          value={secret}
          onChange={() => {}}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  )
}

interface WebhookCardProps {
  hook: Webhook
  /** From 1. */
  place: number
  /** Also shows what is missing where nobody has typed yet. */
  strict: boolean
  onEdit(change: Partial<Webhook>): void
  onRemove(): void
}

function WebhookCard({ hook, place, strict, onEdit, onRemove }: WebhookCardProps) {
  const { t } = useLingui()
  const labels = useHookLabels()
  const { toggle } = partOf(hook, onEdit)
  const wrong = (hook.url !== '' || strict) && !isWebAddress(hook.url)
  const toggled = (event: string) =>
    hook.events.includes(event)
      ? hook.events.filter((each) => each !== event)
      : [...hook.events, event]
  return (
    <fieldset className="hookcard stack" aria-label={t`Webhook ${place}`}>
      <div className="hookcard__top stack">
        <CodeField
          label={t`Address of webhook ${place}`}
          hideLabel
          type="url"
          placeholder="https://example.org/hook"
          value={hook.url}
          error={wrong && t`Enter an address that starts with https:// or http://.`}
          onChange={(url) => onEdit({ url })}
        />
        <Switch label={t`Active`} {...toggle('enabled')} />
        <IconButton size="sm" icon={X} label={t`Remove webhook ${place}`} onClick={onRemove} />
      </div>
      <div className="hookcard__events wraps">
        {HOOK_NAMES.map((name) => (
          <Chip
            key={name}
            pressed={hook.events.includes(name)}
            onClick={() => onEdit({ events: toggled(name) })}
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
}
