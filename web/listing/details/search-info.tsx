import { useLingui } from '@lingui/react/macro'
import { formatCounts } from '../../lib/format.ts'
import { parentOf } from '../../lib/paths.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { Fact } from '../../ui/fact.tsx'
import { useCounts } from '../use-listing.ts'
import { Location } from './location.tsx'

/** What is known of a search: how much it has found, and where. */
export function SearchInfo({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const { folders, files } = useCounts()
  return (
    <>
      <h3>
        <bdi>{folderTitle(vpath)}</bdi>
      </h3>
      <dl className="kv fs-md stack">
        <Fact label={t`Contents`}>{formatCounts(folders, files) || t`Nothing found`}</Fact>
        <Fact label={t`Location`}>
          <Location vpath={parentOf(vpath)} />
        </Fact>
      </dl>
    </>
  )
}
