// What is said of one folder: who may do what, its name at the top, its limit.

import { Trans, useLingui } from '@lingui/react/macro'
import { FolderOpen, Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import type { FolderList, FolderRecord } from '../../../src/access-types.ts'
import { deleteFolder, listAccess, putFolder } from '../../api/access.ts'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { boot } from '../../lib/boot.ts'
import { formatList } from '../../lib/format.ts'
import { go } from '../../lib/page/navigate.ts'
import { ROOT } from '../../lib/paths.ts'
import { verbWords } from '../../lib/verbs.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { CodeField, Select, TextField } from '../../ui/field.tsx'
import { confirmed } from '../confirmed.ts'
import { SaveBar, Section, WhenLoaded } from '../parts.tsx'
import { type Form, useForm } from '../use-form.ts'
import { useLoad } from '../use-load.ts'
import { loadFolders, MissingBadge, Used } from './folders.tsx'
import { GrantsEditor } from './grants.tsx'
import { LimitField } from './limit-field.tsx'
import type { People } from './who.tsx'

/** Places in the served folder have no root in front. */
interface FolderDraft extends FolderRecord {
  root: string
  path: string
}

function draftOf(record: FolderRecord): FolderDraft {
  const { place, as, quota, grants } = record
  const colon = place.startsWith('/') ? -1 : place.indexOf(':')
  const root = place.slice(0, Math.max(0, colon))
  return { place, as, quota, grants, root, path: place.slice(colon + 1) }
}

function recordOf({ root, path, as, quota, grants }: FolderDraft): FolderRecord {
  return {
    place: root === '' ? path : `${root}:${path}`,
    as: as.trim(),
    quota,
    grants: grants.filter((grant) => verbWords.some(({ verb }) => grant[verb] !== undefined)),
  }
}

/** `id` is 'new', or 'record' for the place that the query names. */
export function FolderPage({ id, onName }: { id: string; onName: (name: string) => void }) {
  const loaded = useLoad(`folder ${id}`, loadFolders)
  const place = id === 'new' ? null : (new URLSearchParams(location.search).get('place') ?? '')
  return (
    <WhenLoaded loaded={loaded}>
      {(data) => <FolderForm {...data} place={place} onName={onName} />}
    </WhenLoaded>
  )
}

interface FolderFormProps extends People, FolderList {
  /** Null for one that is still to be chosen. */
  place: string | null
  onName: (name: string) => void
}

function FolderForm({ items, roots, users, groups, place, onName }: FolderFormProps) {
  const { t } = useLingui()
  const known = items.find((item) => item.place === place)
  const blank = { place: place ?? '', as: '', quota: null, grants: [] }
  const form = useForm<FolderDraft>(draftOf(known ?? blank), save)
  const { draft, field } = form
  const title = place ?? t`Add a folder`
  useEffect(() => onName(title), [onName, title])

  async function save(next: FolderDraft): Promise<FolderDraft | null> {
    const record = recordOf(next)
    if (next.path === '') return null
    if (place === null && items.some((item) => item.place === record.place)) return null
    const question = {
      title: t`Save changes`,
      text: t`Confirm with your own password.`,
      confirmLabel: t`Save changes`,
      explain: reasonOf,
    }
    let stored: FolderRecord | null = null
    const send = async () => {
      stored = await putFolder(record)
    }
    if (!(await confirmed(question, send)) || stored === null) return null
    toastSuccess(t`Saved`)
    const saved = draftOf(stored)
    if (place === null) {
      form.reset(saved)
      const query = new URLSearchParams({ place: saved.place })
      void go(`/settings/folders/record?${query}`, { force: true })
    }
    return saved
  }

  return (
    <div className="form form--wide">
      <Section title={place === null ? title : t`Folder`}>
        {place === null ? (
          <PlaceFields form={form} roots={roots} isTaken={isTaken(items, draft)} />
        ) : (
          <p className="row mono">
            <bdi dir="ltr">{place}</bdi>
            {known?.isMissing && <MissingBadge />}
          </p>
        )}
        <NameAndLimit form={form} known={known} />
      </Section>
      <Section
        title={t`Who may do what`}
        hint={t`A folder without rights of its own inherits those above it, at the top the permissions. A person’s rights come before a group’s, and a group’s before everyone’s.`}
      >
        <GrantsEditor people={{ users, groups }} {...field('grants')} />
      </Section>
      <SaveBar
        form={form}
        always
        {...(known === undefined && { saveLabel: t`Save changes` })}
        lead={
          known === undefined ? (
            <a className="btn btn--ghost" href={`${boot.BaseURL}/settings/folders`}>
              <Trans>Cancel</Trans>
            </a>
          ) : (
            <RemoveButton place={known.place} />
          )
        }
      />
    </div>
  )
}

function isTaken(items: FolderList['items'], draft: FolderDraft): boolean {
  const { place } = recordOf(draft)
  return items.some((item) => item.place === place)
}

interface NameAndLimitProps {
  form: Form<FolderDraft>
  /** As it is recorded. */
  known: FolderList['items'][number] | undefined
}

function NameAndLimit({ form, known }: NameAndLimitProps) {
  const { t } = useLingui()
  const { as, quota } = form.draft
  const { usedBytes, hides = [] } = known ?? {}
  const names = formatList(hides)
  return (
    <div className="pair stack">
      <TextField
        label={t`Top-level name`}
        hint={
          hides.length > 0 && as === known?.as
            ? t`Hides an item with this name in the home folder of: ${names}`
            : t`People who can see the folder find it under this name, beside their own files.`
        }
        autoComplete="off"
        {...form.field('as')}
      />
      <div>
        <LimitField label={t`Limit`} {...form.field('quota')} />
        {usedBytes !== undefined && quota !== null && <Used used={usedBytes} total={quota} />}
      </div>
    </div>
  )
}

/** A refused record comes with its reason in plain words. */
function reasonOf(error: unknown): string | null {
  return error instanceof ApiError && error.code === 'bad_request' && error.text !== ''
    ? `${messageOf(error)} (${error.text})`
    : null
}

interface PlaceFieldsProps {
  form: Form<FolderDraft>
  roots: FolderList['roots']
  isTaken: boolean
}

function PlaceFields({ form, roots, isTaken }: PlaceFieldsProps) {
  const { t } = useLingui()
  const { draft, field, set } = form
  const { root } = draft

  async function choose() {
    const chosen = await openPrompt('transfer', { kind: 'choose', items: [], folder: ROOT })
    if (chosen === null) return
    try {
      // One's own tree may begin elsewhere, and have folders of other places at its top.
      const { place } = await listAccess(chosen)
      const { root, path } = draftOf({ ...draft, place })
      set({ root, path })
    } catch (error) {
      toastError(error)
    }
  }

  return (
    <div className={roots.length > 0 ? 'pair stack' : 'stack'}>
      {roots.length > 0 && (
        <Select
          label={t`Where`}
          {...field('root')}
          options={[
            { value: '', label: ROOT },
            ...roots.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
      )}
      <CodeField
        label={t`Folder`}
        autoComplete="off"
        autoCapitalize="none"
        placeholder={ROOT}
        {...field('path')}
        error={
          isTaken
            ? t`An item with this name already exists.`
            : form.attempts > 0 && draft.path === '' && t`Choose folder`
        }
        end={
          root === '' && (
            <IconButton
              size="sm"
              icon={FolderOpen}
              label={t`Choose folder`}
              onClick={() => choose()}
            />
          )
        }
      />
    </div>
  )
}

function RemoveButton({ place }: { place: string }) {
  const { t } = useLingui()

  async function remove() {
    const question = {
      title: t`Who may do what`,
      text: t`Removes the rights, top-level name and limit of “${place}”. The folder and its files stay.`,
      confirmLabel: t`Remove`,
      tone: 'danger',
    } as const
    if (!(await confirmed(question, () => deleteFolder(place)))) return
    toastSuccess(t`Deleted`)
    await go('/settings/folders', { force: true })
  }

  return (
    <Button tone="danger-text" icon={Trash2} onClick={() => remove().catch(toastError)}>
      <Trans>Remove</Trans>
    </Button>
  )
}
