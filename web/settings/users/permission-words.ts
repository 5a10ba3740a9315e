import { useLingui } from '@lingui/react/macro'
import type { Permissions } from '../../../src/api-types.ts'
import { boot } from '../../lib/boot.ts'
import { formatList } from '../../lib/format.ts'

/** The rights in short words, for the summary column. */
export function usePermissionWords() {
  const { t } = useLingui()
  return (perm: Permissions): string => {
    if (perm.admin) return t`All permissions`
    const words = [
      perm.create && t`Create`,
      perm.rename && t`rename`,
      perm.modify && t`edit`,
      perm.delete && t`delete`,
      perm.share && t`share`,
      perm.download && t`download`,
      perm.execute && boot.EnableExec && t`run commands`,
    ].filter((word) => typeof word === 'string')
    if (words.length === 0) return t`View only`
    const text = formatList(words)
    return text.charAt(0).toLocaleUpperCase() + text.slice(1)
  }
}
