// The last column when a file is selected: its picture and what is known of it from the listing.

import { useLingui } from '@lingui/react/macro'
import type { FileEntry } from '../../../src/api-types.ts'
import { shownName } from '../../lib/paths.ts'
import { Fact } from '../../ui/fact.tsx'
import { PageIcon } from '../../ui/file-icon.tsx'
import { EntryDate, EntrySize } from '../details/entry-facts.tsx'
import { Thumbnail } from '../grid/thumbnail.tsx'

export function FilePreview({ entry }: { entry: FileEntry }) {
  const { t } = useLingui()
  const kind = entry.extension.slice(1).toUpperCase()
  return (
    <section className="file-preview" aria-label={t`Preview`}>
      <div className="file-preview__picture center sunken relative">
        <PageIcon entry={entry} />
        <Thumbnail entry={entry} className="file-preview__thumb" />
      </div>
      <h2>
        <bdi>{shownName(entry.name)}</bdi>
      </h2>
      <dl className="kv fs-md stack">
        {kind !== '' && <Fact label={t`Kind`}>{kind}</Fact>}
        <Fact label={t`Size`}>
          <EntrySize entry={entry} />
        </Fact>
        <Fact label={t`Modified`}>
          <EntryDate modified={entry.modified} unreachable={entry.unreachable} />
        </Fact>
      </dl>
    </section>
  )
}
