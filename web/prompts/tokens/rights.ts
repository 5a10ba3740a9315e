// What a token may do at most, as words: never to administrate, never to run commands.

import { useLingui } from '@lingui/react/macro'
import type { Permissions } from '../../../src/api-types.ts'
import { permissions } from '../../state/session.ts'

export type TokenRight = Exclude<keyof Permissions, 'admin' | 'execute'>

/** The rights that the account itself has and can give away, with their names. */
export function useOwnRights(): { right: TokenRight; label: string }[] {
  const { t } = useLingui()
  const own = permissions()
  const all: { right: TokenRight; label: string }[] = [
    { right: 'download', label: t`Download` },
    { right: 'create', label: t`Create and upload` },
    { right: 'modify', label: t`Edit files` },
    { right: 'rename', label: t`Rename and move` },
    { right: 'delete', label: t`Delete files and folders` },
    { right: 'share', label: t`Share` },
  ]
  return all.filter(({ right }) => own[right] && (right !== 'share' || own.download))
}
