// The switches for a user's rights. An administrator has all of them; sharing needs downloading.

import { useLingui } from '@lingui/react/macro'
import type { Permissions } from '../../../src/api-types.ts'
import { boot } from '../../lib/boot.ts'
import { type ControlProps, partOf } from '../../lib/form-part.ts'
import { Switch } from '../../ui/toggle.tsx'

/** A set of rights that does not contradict itself. */
export function withImplied(perm: Permissions): Permissions {
  if (perm.admin) {
    return {
      admin: true,
      execute: true,
      create: true,
      rename: true,
      modify: true,
      delete: true,
      share: true,
      download: true,
    }
  }
  return perm.share ? { ...perm, download: true } : perm
}

export function PermissionFields({ value: perm, onChange }: ControlProps<Permissions>) {
  const { t } = useLingui()
  const { toggle } = partOf(perm, (change) => onChange(withImplied({ ...perm, ...change })))
  const all = perm.admin
  return (
    <div className="perms stack">
      <Switch
        label={t`Administrator`}
        hint={t`Full access, including settings.`}
        {...toggle('admin')}
      />
      <Switch label={t`Delete files and folders`} disabled={all} {...toggle('delete')} />
      <Switch label={t`Create and upload`} disabled={all} {...toggle('create')} />
      <Switch
        label={t`Share`}
        hint={t`Requires the Download permission.`}
        disabled={all}
        {...toggle('share')}
      />
      <Switch label={t`Rename and move`} disabled={all} {...toggle('rename')} />
      <Switch
        label={t`Download`}
        hint={t`Always on while sharing is allowed.`}
        disabled={all || perm.share}
        {...toggle('download')}
      />
      <Switch label={t`Edit files`} disabled={all} {...toggle('modify')} />
      {boot.EnableExec && <Switch label={t`Run commands`} disabled={all} {...toggle('execute')} />}
    </div>
  )
}
