import { Trans, useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { setPref } from '../../state/prefs.ts'
import { IconButton } from '../../ui/button.tsx'
import { useSelectedEntries } from '../toolbar.tsx'
import { useListing } from '../use-listing.ts'
import styles from './details.css?url'
import { EntryInfo } from './entry-info.tsx'

await loadStylesheet(styles)

export function DetailsPanel() {
  const { t } = useLingui()
  const { folder } = useListing().shown
  const entries = useSelectedEntries()
  return (
    <aside className="details" aria-label={t`Details`} id="details" tabIndex={-1}>
      <header className="details__head">
        <h2>
          <Trans>Details</Trans>
        </h2>
        <IconButton size="sm" icon={X} label={t`Close`} onClick={() => setPref('details', false)} />
      </header>
      {folder !== null && <EntryInfo folder={folder.vpath} entries={entries} />}
    </aside>
  )
}
