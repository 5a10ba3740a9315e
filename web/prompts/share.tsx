// Links to a file or folder: those there are, and a new one. Creating copies the address at once.

import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Dices, Eye, EyeOff, Link, Lock } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { ShareRecord } from '../../src/api-types.ts'
import { isAbort } from '../api/client.ts'
import {
  createShare,
  deleteShare,
  type LifeUnit,
  listSharesOf,
  sharePageUrl,
} from '../api/shares.ts'
import { type FormPart, partOf } from '../lib/form-part.ts'
import { formatMoment } from '../lib/format.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { suggestPassword } from '../lib/pass-phrase.ts'
import { copyLink } from '../operations/copy-text.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError, toastSuccess } from '../operations/toasts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { NumberField, Select, TextField } from '../ui/field.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { Skeleton } from '../ui/progress.tsx'
import { Segmented } from '../ui/toggle.tsx'
import styles from './share.css?url'
import { ShareLink } from './share-link.tsx'

await loadStylesheet(styles)

/** The largest duration the server takes, in any unit. */
const MAX_DURATION = 2_147_483_647

type Preset = '1h' | '1d' | '7d' | '30d' | 'never' | 'custom'

const presets: Record<Exclude<Preset, 'custom'>, { expires: number | null; unit: LifeUnit }> = {
  '1h': { expires: 1, unit: 'hours' },
  '1d': { expires: 1, unit: 'days' },
  '7d': { expires: 7, unit: 'days' },
  '30d': { expires: 30, unit: 'days' },
  never: { expires: null, unit: 'hours' },
}

const UNIT_MS: Record<LifeUnit, number> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
}

export function SharePrompt({ path, entry, answer }: PromptProps<'share'>) {
  const { t } = useLingui()
  const { isDir } = entry
  const links = useLinks(path, isDir)
  const [life, setLife] = useState<Life>({ preset: '7d', amount: 48, unit: 'hours' })
  const [password, setPassword] = useState('')
  /** By the hash of links made here: the server keeps none that could be read. */
  const [passwords, setPasswords] = useState<Readonly<Record<string, string>>>({})
  const [busy, setBusy] = useState(false)

  async function onCreate() {
    if (busy || (life.preset === 'custom' && isOutOfRange(life))) return
    setBusy(true)
    try {
      const { preset, amount: expires, unit } = life
      const length = preset === 'custom' ? { expires, unit } : presets[preset]
      const made = await createShare(path, isDir, { ...length, password })
      links.add(made)
      if (made.hasPassword) setPasswords({ ...passwords, [made.hash]: password.trim() })
      setPassword('')
      await copyLink(sharePageUrl(made.hash))
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      className="share"
      fullOnPhone
      title={
        <span className="share__title stack">
          <FileTile entry={entry} />
          <span>
            <Trans>
              Share “<bdi>{entry.name}</bdi>”
            </Trans>
          </span>
        </span>
      }
      subtitle={t`Anyone with the link can view and download.`}
      guarded={password !== ''}
      onClose={() => answer(null)}
      onSubmit={() => void onCreate()}
      closeLabel={t`Close`}
      answers={
        <Button tone="fill" type="submit" icon={Link} busy={busy} data-autofocus>
          <Trans>Create and copy link</Trans>
        </Button>
      }
    >
      <Links
        list={links.list}
        passwords={passwords}
        isDir={isDir}
        onDelete={(link) => void links.remove(link)}
      />
      <h3 className="share__new fs-md">
        <Trans>New link</Trans>
      </h3>
      <div className="share__box stack">
        <LifeFields {...partOf(life, (change) => setLife({ ...life, ...change }))} />
        <PasswordField value={password} onChange={setPassword} />
      </div>
    </Dialog>
  )
}

function useLinks(path: string, isDir: boolean) {
  const { t } = useLingui()
  const [list, setLinks] = useState<ShareRecord[] | null>(null)

  useEffect(() => {
    const controller = new AbortController()
    listSharesOf(path, isDir, controller.signal).then(
      // A link may have been made meanwhile, before or after the list was read.
      (found) => setLinks((made) => sorted([...found, ...(made ?? [])])),
      (error: unknown) => {
        if (isAbort(error)) return
        setLinks((made) => made ?? [])
        toastError(error)
      },
    )
    return () => controller.abort()
  }, [path, isDir])

  async function remove(link: ShareRecord) {
    const choice = await openPrompt('confirm', {
      title: t`Delete this link?`,
      text: t`The link will stop working immediately. Your files won’t be deleted.`,
      answers: [{ id: 'delete', label: t`Delete link`, tone: 'danger' }],
    })
    if (choice !== 'delete') return
    try {
      await deleteShare(link.hash)
      setLinks((before) => before?.filter(({ hash }) => hash !== link.hash) ?? null)
      toastSuccess(t`Link deleted`)
    } catch (error) {
      toastError(error)
    }
  }

  const add = (made: ShareRecord) => setLinks((before) => sorted([...(before ?? []), made]))
  return { list, add, remove }
}

interface LinksProps {
  list: readonly ShareRecord[] | null
  passwords: Readonly<Record<string, string>>
  isDir: boolean
  onDelete(link: ShareRecord): void
}

function Links({ list, passwords, isDir, onDelete }: LinksProps) {
  const { t } = useLingui()
  if (list === null) {
    return (
      <div className="share__link row wraps rounded" aria-busy>
        <Skeleton width="1.875rem" height="1.875rem" />
        <span className="grow share__wait">
          <Skeleton width="60%" />
          <Skeleton width="35%" />
        </span>
      </div>
    )
  }
  if (list.length === 0) return null
  return (
    <ul className="share__links" aria-label={t`Existing links`}>
      {list.map((link) => (
        <ShareLink
          key={link.hash}
          link={link}
          password={passwords[link.hash]}
          isDir={isDir}
          onCopy={() => void copyLink(sharePageUrl(link.hash))}
          onDelete={() => onDelete(link)}
        />
      ))}
    </ul>
  )
}

interface Life {
  preset: Preset
  /** Null for no end. */
  amount: number | null
  unit: LifeUnit
}

function isOutOfRange({ amount }: Life): boolean {
  return amount !== null && (amount < 0 || amount > MAX_DURATION)
}

function LifeFields({ draft: life, set, field }: FormPart<Life>) {
  const { t } = useLingui()
  const { preset, amount, unit } = life
  const count = amount ?? 0
  const outOfRange = isOutOfRange(life)
  return (
    <>
      <div className="field">
        <span className="label" aria-hidden>
          <Trans>Expires after</Trans>
        </span>
        <div className="share__presets">
          <Segmented
            label={t`Expires after`}
            {...field('preset')}
            options={[
              { value: '1h', label: t`1 hour` },
              { value: '1d', label: t`1 day` },
              { value: '7d', label: t`7 days` },
              { value: '30d', label: t`30 days` },
              { value: 'never', label: t`Never` },
              { value: 'custom', label: t`Custom` },
            ]}
          />
        </div>
      </div>
      {preset === 'custom' && (
        <div className="share__custom row wraps">
          <NumberField
            label={t`Duration`}
            hideLabel
            min={0}
            max={MAX_DURATION}
            {...field('amount')}
            error={outOfRange && t`Enter a number from 0 to ${MAX_DURATION}.`}
          />
          <Select
            label={t`Unit`}
            hideLabel
            value={unit}
            onChange={(next) => set({ unit: next as LifeUnit })}
            options={[
              { value: 'seconds', label: t`${plural(count, { one: 'second', other: 'seconds' })}` },
              { value: 'minutes', label: t`${plural(count, { one: 'minute', other: 'minutes' })}` },
              { value: 'hours', label: t`${plural(count, { one: 'hour', other: 'hours' })}` },
              { value: 'days', label: t`${plural(count, { one: 'day', other: 'days' })}` },
            ]}
          />
          {!outOfRange && (
            <span className="dim num fs-md">
              <Until amount={amount} unit={unit} />
            </span>
          )}
        </div>
      )}
    </>
  )
}

function Until({ amount, unit }: { amount: number | null; unit: LifeUnit }) {
  if (amount === null || amount === 0) return <Trans>never expires</Trans>
  const end = new Date(Date.now() + amount * UNIT_MS[unit])
  if (Number.isNaN(end.getTime())) return <Trans>in the far future</Trans>
  const moment = formatMoment(end)
  return <Trans>until {moment}</Trans>
}

/** A suggested password is shown, as it has to be told to somebody. */
function PasswordField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useLingui()
  const [shown, setShown] = useState(false)
  return (
    <TextField
      className="share__password"
      label={
        <span className="row">
          <span className="grow">{t`Password`}</span>
          <span className="share__optional dim fs-sm">{t`Optional`}</span>
        </span>
      }
      icon={Lock}
      dir="ltr"
      type={shown ? 'text' : 'password'}
      autoComplete="new-password"
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      value={value}
      onChange={onChange}
      end={
        <>
          <IconButton
            size="sm"
            icon={Dices}
            label={t`Suggest a password`}
            onClick={() => {
              onChange(suggestPassword())
              setShown(true)
            }}
          />
          <IconButton
            size="sm"
            icon={shown ? EyeOff : Eye}
            label={shown ? t`Hide password` : t`Show password`}
            onClick={() => setShown(!shown)}
          />
        </>
      }
    />
  )
}

/** Each link once; permanent links first, then by the time they end. */
function sorted(links: readonly ShareRecord[]): ShareRecord[] {
  const byHash = new Map(links.map((link) => [link.hash, link]))
  return [...byHash.values()].sort((a, b) => a.expire - b.expire)
}
