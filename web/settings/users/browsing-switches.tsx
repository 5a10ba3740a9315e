// How folders are browsed: one's own choice, and what new accounts begin with.

import { useLingui } from '@lingui/react/macro'
import type { TokenUser } from '../../../src/access-types.ts'
import type { FormPart } from '../../lib/form-part.ts'
import { formatMoment } from '../../lib/format.ts'
import { Switch } from '../../ui/toggle.tsx'

export type Browsing = Pick<TokenUser, 'hideDotfiles' | 'singleClick' | 'dateFormat'>

const SAMPLE_MS = Date.UTC(2026, 10, 20, 18, 30)

interface BrowsingSwitchesProps {
  toggle: FormPart<Browsing>['toggle']
  /** Explains each switch. */
  hints?: boolean
}

export function BrowsingSwitches({ toggle, hints = false }: BrowsingSwitchesProps) {
  const { t } = useLingui()
  return (
    <>
      <Switch
        label={t`Hide files that start with a dot`}
        hint={hints && t`Files and folders whose names start with a dot are hidden.`}
        {...toggle('hideDotfiles')}
      />
      <Switch
        label={t`Open with a single click`}
        hint={hints && t`Select with the checkbox, Ctrl+click or a long press.`}
        {...toggle('singleClick')}
      />
      <Switch
        label={t`Show exact dates`}
        hint={hints && t`For example, ${formatMoment(SAMPLE_MS)} instead of “2 hours ago”.`}
        {...toggle('dateFormat')}
      />
    </>
  )
}
