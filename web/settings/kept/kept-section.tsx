// How long and how much is kept of what was deleted.

import { useLingui } from '@lingui/react/macro'
import { getUsage } from '../../api/files.ts'
import { formatSize } from '../../lib/format.ts'
import { ROOT } from '../../lib/paths.ts'
import type { GlobalDraft } from '../global-draft.ts'
import { CodeLine, Section } from '../parts.tsx'
import type { Form } from '../use-form.ts'
import { useLoad } from '../use-load.ts'

/** As the server reads them; what else it refuses is told by its answer. */
export const isAge = (text: string) => /^(\d+(\.\d+)?(d|h|m|s|ms))+$/.test(text.trim())
export const isShare = (text: string) => /^\d+(\.\d+)?\s*(%|[kmgt]?i?b?)$/i.test(text.trim())

export function KeptSection({ draft, field }: Form<GlobalDraft>) {
  const { t } = useLingui()
  const { data: usage } = useLoad('kept', (signal) => getUsage(ROOT, signal))
  const { keepAge, keepSize, keepFixed = [] } = draft
  const part = /^(\d+(?:\.\d+)?)\s*%$/.exec(keepSize.trim())?.[1]
  const size = formatSize(((usage?.total ?? 0) * Number(part ?? 0)) / 100)
  const fixed = t`Set when the server was started.`
  const here = part !== undefined && usage !== null && usage.total > 0 && t`On this disk: ${size}.`
  return (
    <Section
      title={t`Trash`}
      hint={t`Deleted items stay in the trash for a while and can be restored.`}
    >
      <CodeLine
        narrow
        label={t`Kept for`}
        hint={keepFixed.includes('keepAge') && fixed}
        disabled={keepFixed.includes('keepAge')}
        error={!isAge(keepAge) && '30d, 12h'}
        {...field('keepAge')}
      />
      <CodeLine
        narrow
        label={t`Largest share of each disk`}
        hint={keepFixed.includes('keepSize') ? fixed : here}
        disabled={keepFixed.includes('keepSize')}
        error={!isShare(keepSize) && '10%, 50GiB'}
        {...field('keepSize')}
      />
    </Section>
  )
}
