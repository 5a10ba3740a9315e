// Links to a file or folder: those there are, and a new one. Creating copies the address at once.

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
import { ClipboardError, copyText } from '../lib/clipboard.ts'
import { formatMoment } from '../lib/format.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { suggestPassword } from '../lib/pass-phrase.ts'
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
  const [links, setLinks] = useState<ShareRecord[] | null>(null)
  const [preset, setPreset] = useState<Preset>('7d')
  const [amount, setAmount] = useState<number | null>(48)
  const [unit, setUnit] = useState<LifeUnit>('hours')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const { isDir } = entry
  const outOfRange = amount !== null && (amount < 0 || amount > MAX_DURATION)
  const badAmount = preset === 'custom' && outOfRange

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

  async function onCreate() {
    if (busy || badAmount) return
    setBusy(true)
    try {
      const life = preset === 'custom' ? { expires: amount, unit } : presets[preset]
      const made = await createShare(path, isDir, { ...life, password })
      setLinks((before) => sorted([...(before ?? []), made]))
      setPassword('')
      await copyLink(made)
    } catch (error) {
      toastError(error)
    } finally {
      setBusy(false)
    }
  }

  async function copyLink(link: ShareRecord) {
    try {
      await copyText(sharePageUrl(link.hash))
      toastSuccess(t`Link copied`)
    } catch (error) {
      // The link exists; only copying it failed, and it is in the list to be copied by hand.
      toastError(error instanceof ClipboardError ? error.message : error)
    }
  }

  async function onDelete(link: ShareRecord) {
    const choice = await openPrompt('confirm', {
      title: t`Delete this link?`,
      text: t`It stops working at once for everyone who has it. The files themselves stay.`,
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

  return (
    <Dialog
      className="share"
      fullOnPhone
      title={
        <span className="share__title">
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
      footer={
        <>
          <Button tone="line" onClick={() => answer(null)}>
            <Trans>Close</Trans>
          </Button>
          <Button tone="fill" type="submit" icon={Link} busy={busy} data-autofocus>
            <Trans>Create and copy link</Trans>
          </Button>
        </>
      }
    >
      {links === null ? (
        <div className="share__link" aria-busy>
          <Skeleton width="1.875rem" height="1.875rem" />
          <span className="grow share__wait">
            <Skeleton width="60%" />
            <Skeleton width="35%" />
          </span>
        </div>
      ) : (
        links.length > 0 && (
          <ul className="share__links" aria-label={t`Existing links`}>
            {links.map((link) => (
              <ShareLink
                key={link.hash}
                link={link}
                isDir={isDir}
                onCopy={() => void copyLink(link)}
                onDelete={() => void onDelete(link)}
              />
            ))}
          </ul>
        )
      )}
      <h3 className="share__new">
        <Trans>New link</Trans>
      </h3>
      <div className="share__box">
        <div className="field">
          <span className="label" aria-hidden>
            <Trans>Expires after</Trans>
          </span>
          <div className="share__presets">
            <Segmented
              label={t`Expires after`}
              value={preset}
              onChange={setPreset}
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
          <div className="share__custom">
            <NumberField
              label={t`Duration`}
              hideLabel
              min={0}
              max={MAX_DURATION}
              value={amount}
              onChange={setAmount}
              error={outOfRange && t`Enter a number from 0 to ${MAX_DURATION}.`}
            />
            <Select
              label={t`Unit`}
              hideLabel
              value={unit}
              onChange={(value) => setUnit(value as LifeUnit)}
              options={[
                { value: 'seconds', label: t`seconds` },
                { value: 'minutes', label: t`minutes` },
                { value: 'hours', label: t`hours` },
                { value: 'days', label: t`days` },
              ]}
            />
            {!outOfRange && (
              <span className="share__until dim num">
                <Until amount={amount} unit={unit} />
              </span>
            )}
          </div>
        )}
        <PasswordField value={password} onChange={setPassword} />
      </div>
    </Dialog>
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
          <span className="share__optional dim">{t`Optional`}</span>
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
