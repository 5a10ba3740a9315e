// The switches for a user's rights. An administrator has all of them; sharing needs downloading.

import { useLingui } from '@lingui/react/macro'
import type { Permissions } from '../../../src/api-types.ts'
import { boot } from '../../lib/boot.ts'
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

export function PermissionFields({
  perm,
  onChange,
}: {
  perm: Permissions
  onChange: (perm: Permissions) => void
}) {
  const { t } = useLingui()
  const set = (change: Partial<Permissions>) => onChange(withImplied({ ...perm, ...change }))
  const all = perm.admin
  return (
    <div className="perms">
      <Switch
        label={t`Administrator`}
        hint={t`May do everything, also in the settings.`}
        checked={perm.admin}
        onChange={(admin) => set({ admin })}
      />
      <Switch
        label={t`Delete files and folders`}
        checked={perm.delete}
        disabled={all}
        onChange={(value) => set({ delete: value })}
      />
      <Switch
        label={t`Create and upload`}
        checked={perm.create}
        disabled={all}
        onChange={(create) => set({ create })}
      />
      <Switch
        label={t`Share`}
        hint={t`Needs download.`}
        checked={perm.share}
        disabled={all}
        onChange={(share) => set({ share })}
      />
      <Switch
        label={t`Rename and move`}
        checked={perm.rename}
        disabled={all}
        onChange={(rename) => set({ rename })}
      />
      <Switch
        label={t`Download`}
        hint={t`On while share is on.`}
        checked={perm.download}
        disabled={all || perm.share}
        onChange={(download) => set({ download })}
      />
      <Switch
        label={t`Edit files`}
        checked={perm.modify}
        disabled={all}
        onChange={(modify) => set({ modify })}
      />
      {boot.EnableExec && (
        <Switch
          label={t`Run commands`}
          checked={perm.execute}
          disabled={all}
          onChange={(execute) => set({ execute })}
        />
      )}
    </div>
  )
}
