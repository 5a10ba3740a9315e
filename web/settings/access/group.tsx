// One group: making it, changing it, deleting it.

import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { useEffect } from 'react'
import type { GroupRecord } from '../../../src/access-types.ts'
import type { UserRecord } from '../../../src/api-types.ts'
import { changeGroup, createGroup, deleteGroup, listGroups } from '../../api/access.ts'
import { ApiError } from '../../api/client.ts'
import { listUsers } from '../../api/users.ts'
import { boot } from '../../lib/boot.ts'
import { go } from '../../lib/page/navigate.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { renewSession } from '../../state/session.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { confirmed } from '../confirmed.ts'
import { SaveBar, Section, WhenLoaded } from '../parts.tsx'
import { type Form, useForm } from '../use-form.ts'
import { useLoad } from '../use-load.ts'
import { PermissionFields } from '../users/permission-fields.tsx'
import { LimitField } from './limit-field.tsx'
import { MemberList } from './members.tsx'

/** `claims` has one name a line; `members` are those that administrators have put in. */
interface GroupDraft extends Omit<GroupRecord, 'claims' | 'members'> {
  claims: string
  members: number[]
}

interface Loaded {
  group: GroupRecord | null
  users: UserRecord[]
}

const BLANK: GroupRecord = {
  ...{ id: 0, name: '', homeQuota: null, claims: [], members: [] },
  perm: {
    ...{ admin: false, execute: false, create: false, rename: false },
    ...{ modify: false, delete: false, share: false, download: false },
  },
}

async function load(id: string, signal: AbortSignal): Promise<Loaded> {
  const [groups, users] = await Promise.all([listGroups(signal), listUsers(signal)])
  if (id === 'new') return { group: BLANK, users }
  return { group: groups.find((group) => group.id === Number(id)) ?? null, users }
}

export function GroupPage({ id, onName }: { id: string; onName: (name: string) => void }) {
  const loaded = useLoad(`group ${id}`, (signal) => load(id, signal))
  return (
    <WhenLoaded
      loaded={
        loaded.data?.group === null
          ? { ...loaded, data: null, error: new ApiError(404, 'not_found', '') }
          : loaded
      }
    >
      {({ group, users }) => <GroupForm group={group ?? BLANK} users={users} onName={onName} />}
    </WhenLoaded>
  )
}

function draftOf(group: GroupRecord): GroupDraft {
  const given = group.members.filter(({ from }) => from === 'admin')
  return {
    ...group,
    claims: group.claims.join('\n'),
    members: given.map(({ userID }) => userID),
  }
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

interface GroupFormProps {
  group: GroupRecord
  users: readonly UserRecord[]
  onName: (name: string) => void
}

function GroupForm({ group, users, onName }: GroupFormProps) {
  const { t } = useLingui()
  const isNew = group.id === 0
  const form = useForm<GroupDraft>(draftOf(group), save)
  const { field } = form
  const title = isNew ? t`New group` : form.saved.name
  useEffect(() => onName(title), [onName, title])

  async function save(next: GroupDraft): Promise<GroupDraft | null> {
    if (next.name.trim() === '') return null
    const { id, ...rest } = next
    const change = {
      ...rest,
      name: rest.name.trim(),
      claims: linesOf(rest.claims),
      members: rest.members.map((userID) => ({ userID, from: 'admin' as const })),
    }
    let stored: GroupRecord | null = null
    const question = {
      title: isNew ? t`New group` : t`Save changes`,
      text: t`Confirm with your own password.`,
      confirmLabel: t`Save changes`,
    }
    const send = async () => {
      stored = isNew ? await createGroup(change) : await changeGroup(id, change)
    }
    if (!(await confirmed(question, send)) || stored === null) return null
    const saved = draftOf(stored)
    toastSuccess(t`Saved`)
    // One's own permissions may be others now.
    await renewSession()
    if (isNew) {
      form.reset(saved)
      void go(`/settings/groups/${saved.id}`, { force: true })
    }
    return saved
  }

  return (
    <div className="form form--wide">
      <NameSection form={form} />
      <Section
        title={t`Permissions`}
        hint={t`Members get the permissions and folder rights of their groups in addition to their own.`}
      >
        <PermissionFields value={form.draft.perm} onChange={(perm) => form.set({ perm })} />
      </Section>
      <Section title={t`Members`}>
        <MemberList users={users} members={group.members} {...field('members')} />
      </Section>
      <Section title={t`Group names in the directory or at the provider`}>
        <TextArea
          label={t`Group names in the directory or at the provider`}
          hideLabel
          hint={t`One name per line. People in these groups become members when they sign in.`}
          rows={3}
          dir="ltr"
          spellCheck={false}
          {...field('claims')}
        />
      </Section>
      <SaveBar
        form={form}
        always
        {...(isNew && { saveLabel: t`Save changes` })}
        lead={
          isNew ? (
            <a className="btn btn--ghost" href={`${boot.BaseURL}/settings/groups`}>
              <Trans>Cancel</Trans>
            </a>
          ) : (
            <DeleteButton id={group.id} name={form.saved.name} />
          )
        }
      />
    </div>
  )
}

function NameSection({ form }: { form: Form<GroupDraft> }) {
  const { t } = useLingui()
  const noName = form.draft.name.trim() === ''
  return (
    <Section title={form.draft.name || t`New group`}>
      <div className="pair stack">
        <TextField
          label={t`Name`}
          autoComplete="off"
          maxLength={255}
          {...form.field('name')}
          error={form.attempts > 0 && noName && t`Enter a name.`}
        />
        <LimitField
          label={t`Home limit`}
          hint={t`People without a limit of their own get the largest limit of their groups.`}
          {...form.field('homeQuota')}
        />
      </div>
    </Section>
  )
}

function DeleteButton({ id, name }: { id: number; name: string }) {
  const { t } = useLingui()

  async function remove() {
    const question = {
      title: t`Delete group`,
      text: t`Members of “${name}” will lose the access that only this group gives. Accounts and files stay.`,
      confirmLabel: t`Delete group`,
      tone: 'danger',
    } as const
    if (!(await confirmed(question, () => deleteGroup(id)))) return
    toastSuccess(t`Deleted`)
    await renewSession()
    await go('/settings/groups', { force: true })
  }

  return (
    <Button tone="danger-text" icon={Trash2} onClick={() => remove().catch(toastError)}>
      <Trans>Delete group</Trans>
    </Button>
  )
}
