// Groups, home and rights in folders of one account, on its page.

import { useLingui } from '@lingui/react/macro'
import { Network } from 'lucide-react'
import type { GroupRecord } from '../../../src/access-types.ts'
import type { ControlProps } from '../../lib/form-part.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { Switch } from '../../ui/toggle.tsx'
import { Section } from '../parts.tsx'
import type { Form } from '../use-form.ts'
import type { UserDraft } from '../users/user-draft.ts'
import styles from './access.css?url'
import { LimitField } from './limit-field.tsx'
import { MayDo } from './may-do.tsx'
import { Membership } from './members.tsx'
import { Picker } from './picker.tsx'

await loadStylesheet(styles)

interface AccountAccessProps {
  form: Form<UserDraft>
  groups: readonly GroupRecord[]
}

export function AccountAccess({ form, groups }: AccountAccessProps) {
  const { t } = useLingui()
  const { id } = form.draft
  return (
    <>
      {groups.length > 0 && (
        <Section
          title={t`Groups`}
          hint={t`Members get the permissions and folder rights of their groups in addition to their own.`}
        >
          <GroupPicker userID={id} groups={groups} {...form.field('groups')} />
        </Section>
      )}
      <Section title={t`Root folder`}>
        <Switch
          label={t`Has a home folder`}
          hint={t`When off, this person only sees folders with a top-level name.`}
          {...form.toggle('home')}
        />
        <div className="short-field">
          <LimitField
            label={t`Home limit`}
            hint={t`People without a limit of their own get the largest limit of their groups.`}
            {...form.field('homeQuota')}
          />
        </div>
      </Section>
      {id !== 0 && <MayDo userID={id} saved={form.saved} />}
    </>
  )
}

interface GroupPickerProps extends ControlProps<number[]> {
  userID: number
  groups: readonly GroupRecord[]
}

function GroupPicker({ userID, groups, value: ids, onChange }: GroupPickerProps) {
  const { t } = useLingui()
  return (
    <>
      {ids.length > 0 && (
        <ul className="devices">
          {groups
            .filter((group) => ids.includes(group.id))
            .map(({ id, name, members }) => {
              const from = members.flatMap((member) =>
                member.userID === userID && member.from !== 'admin' ? member.from : [],
              )
              return (
                <Membership
                  key={id}
                  icon={<Network className="i mid" aria-hidden />}
                  name={name}
                  origin={from[0]}
                  onRemove={() => onChange(ids.filter((each) => each !== id))}
                />
              )
            })}
        </ul>
      )}
      <Picker
        label={t`Groups`}
        options={groups
          .filter((group) => !ids.includes(group.id))
          .map(({ id, name }) => ({
            value: String(id),
            label: name,
            icon: <Network className="i mid" aria-hidden />,
          }))}
        onPick={(id) => onChange([...ids, Number(id)])}
      />
    </>
  )
}
