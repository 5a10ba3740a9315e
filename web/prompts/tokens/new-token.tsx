// A new API token: its name, the folder it sees, what it may do there and for how long.

import { Trans, useLingui } from '@lingui/react/macro'
import { FolderOpen } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { createToken } from '../../api/tokens.ts'
import { boot } from '../../lib/boot.ts'
import { formatDay } from '../../lib/format.ts'
import { ROOT, trimPath } from '../../lib/paths.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CodeField, Select, TextField } from '../../ui/field.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import { ConfirmField, useConfirming } from '../confirming.tsx'
import { type TokenRight, useOwnRights } from './rights.ts'

const DAY_MS = 86_400_000

type Lifetime = '7' | '30' | '90' | '365' | 'never'

interface Draft {
  name: string
  folder: string
  rights: ReadonlySet<TokenRight>
  lifetime: Lifetime
}

/** Who signs in with a password here confirms with it. */
const asksPassword = () => boot.AuthMethod === 'json'

interface Refusal {
  field: 'name' | 'folder' | null
  text: string
}

/** What is typed, what is wrong with it, and making the token of it. */
function useNewToken({ answer, isForApp = false }: PromptProps<'newToken'>) {
  const { t } = useLingui()
  const own = useOwnRights().map(({ right }) => right)
  const [draft, setDraft] = useState<Draft>({
    name: '',
    folder: ROOT,
    rights: new Set(
      own.filter((right) => right === 'download' || (isForApp && OF_APPS.has(right))),
    ),
    lifetime: isForApp ? '365' : '90',
  })
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [busy, setBusy] = useState(false)
  const confirming = useConfirming(asksPassword())

  async function submit(byPasskey?: true) {
    if (busy || (confirming.needed && confirming.ways === null)) return
    const { name, folder, rights, lifetime } = draft
    if (name.trim() === '') return setRefusal({ field: 'name', text: t`Enter a name.` })
    setBusy(true)
    setRefusal(null)
    const perm = Object.fromEntries([...rights].map((right) => [right, true]))
    const endMs = endOf(lifetime)
    const expires = endMs === null ? '' : new Date(endMs).toISOString()
    const create = async () => answer(await createToken({ name, folder, perm, expires }, ''))
    try {
      await confirming.run(create, byPasskey)
    } catch (error) {
      setRefusal(explain(error))
    }
    setBusy(false)
  }

  function explain(error: unknown): Refusal {
    const code = error instanceof ApiError ? error.code : null
    if (code === 'exists') return { field: 'name', text: t`You have a token with this name.` }
    if (code === 'conflict')
      return { field: null, text: t`You have too many tokens. Remove some first.` }
    const isFolder = code === 'forbidden' || code === 'not_found' || code === 'not_a_folder'
    return { field: isFolder ? 'folder' : null, text: messageOf(error) }
  }

  return {
    draft,
    busy,
    confirming,
    submit,
    set(change: Partial<Draft>) {
      setRefusal(null)
      setDraft((before) => ({ ...before, ...change }))
    },
    errorOf: (field: Refusal['field']) => (refusal?.field === field ? refusal.text : null),
  }
}

export function NewTokenPrompt(props: PromptProps<'newToken'>) {
  const { t } = useLingui()
  const { answer, isForApp } = props
  const { draft, busy, confirming, submit, set, errorOf } = useNewToken(props)

  return (
    <Dialog
      fullOnPhone
      title={isForApp ? t`New app password` : t`New API token`}
      subtitle={t`It can never do more than you can.`}
      guarded={draft.name !== ''}
      busy={busy}
      onClose={() => answer(null)}
      onSubmit={() => void submit()}
      answers={
        <Button tone="fill" type="submit" busy={busy}>
          {isForApp ? <Trans>Create</Trans> : <Trans>Create token</Trans>}
        </Button>
      }
    >
      <div className="dlg__stack">
        <TextField
          label={t`Name`}
          hint={t`The script or app that uses it, such as “Backup”.`}
          value={draft.name}
          error={errorOf('name')}
          onChange={(name) => set({ name })}
          maxLength={100}
          autoComplete="off"
          data-autofocus
        />
        <FolderField
          folder={draft.folder}
          error={errorOf('folder')}
          onChange={(folder) => set({ folder })}
        />
        {isForApp ? (
          <ReadOnly rights={draft.rights} onChange={(rights) => set({ rights })} />
        ) : (
          <Rights rights={draft.rights} onChange={(rights) => set({ rights })} />
        )}
        <Lifetimes lifetime={draft.lifetime} onChange={(lifetime) => set({ lifetime })} />
        <ConfirmField confirming={confirming} onPasskey={() => void submit(true)} />
        {errorOf(null) !== null && (
          <p className="err" role="alert">
            {errorOf(null)}
          </p>
        )}
      </div>
    </Dialog>
  )
}

interface FolderFieldProps {
  folder: string
  error: string | null
  onChange(folder: string): void
}

function FolderField({ folder, error, onChange }: FolderFieldProps) {
  const { t } = useLingui()

  async function choose() {
    const start = trimPath(folder)
    const chosen = await openPrompt('transfer', { kind: 'choose', items: [], folder: start })
    if (chosen !== null) onChange(chosen)
  }

  return (
    <CodeField
      label={t`Folder`}
      hint={t`It can’t see anything outside this folder.`}
      value={folder}
      error={error}
      onChange={onChange}
      autoComplete="off"
      autoCapitalize="none"
      end={
        <IconButton size="sm" icon={FolderOpen} label={t`Choose folder`} onClick={() => choose()} />
      }
    />
  )
}

interface RightsProps {
  rights: ReadonlySet<TokenRight>
  onChange(rights: ReadonlySet<TokenRight>): void
}

function Rights({ rights, onChange }: RightsProps) {
  const { t } = useLingui()
  const own = useOwnRights()
  if (own.length === 0) return null

  function set(right: TokenRight, on: boolean) {
    const next = new Set(rights)
    if (on) next.add(right)
    else next.delete(right)
    if (next.has('share')) next.add('download')
    onChange(next)
  }

  return (
    <fieldset className="token__rights stack">
      <legend className="label">{t`Permissions`}</legend>
      {own.map(({ right, label }) => (
        <Checkbox
          key={right}
          label={
            right === 'share' ? (
              <>
                {label} <small className="dim">{t`Requires the Download permission.`}</small>
              </>
            ) : (
              label
            )
          }
          checked={rights.has(right)}
          disabled={right === 'download' && rights.has('share')}
          onChange={(on) => set(right, on)}
        />
      ))}
    </fieldset>
  )
}

/** What apps do with files, as far as the account may do it. */
const OF_APPS: ReadonlySet<TokenRight> = new Set([
  'download',
  'create',
  'modify',
  'rename',
  'delete',
])

function ReadOnly({ rights, onChange }: RightsProps) {
  const { t } = useLingui()
  const own = useOwnRights().map(({ right }) => right)
  const all = own.filter((right) => OF_APPS.has(right))
  const reading = all.filter((right) => right === 'download')
  if (all.length === reading.length) return null
  return (
    <Checkbox
      label={t`Read only`}
      checked={rights.size === reading.length}
      onChange={(on) => onChange(new Set(on ? reading : all))}
    />
  )
}

interface LifetimesProps {
  lifetime: Lifetime
  onChange(lifetime: Lifetime): void
}

function Lifetimes({ lifetime, onChange }: LifetimesProps) {
  const { t } = useLingui()
  const endMs = endOf(lifetime)
  const day = endMs === null ? '' : formatDay(endMs)
  return (
    <Select
      label={t`Expires after`}
      hint={endMs === null ? t`It works until you remove it.` : t`It works until ${day}.`}
      value={lifetime}
      onChange={(value) => onChange(value as Lifetime)}
      options={[
        { value: '7', label: t`7 days` },
        { value: '30', label: t`30 days` },
        { value: '90', label: t`90 days` },
        { value: '365', label: t`365 days` },
        { value: 'never', label: t`Never` },
      ]}
    />
  )
}

/** In ms since the epoch; null for never. */
function endOf(lifetime: Lifetime): number | null {
  return lifetime === 'never' ? null : Date.now() + Number(lifetime) * DAY_MS
}
