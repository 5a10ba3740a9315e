// Details as a dialog, where there is no room for a panel beside the listing.

import { Trans } from '@lingui/react/macro'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import styles from '../listing/details/details.css?url'
import { EntryInfo } from '../listing/details/entry-info.tsx'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

await loadStylesheet(styles)

export function InfoPrompt({ folder, entries, answer }: PromptProps<'info'>) {
  return (
    <Dialog
      title={<Trans>Details</Trans>}
      className="info-dialog"
      onClose={() => answer(null)}
      footer={
        <Button tone="fill" data-autofocus onClick={() => answer(null)}>
          <Trans>OK</Trans>
        </Button>
      }
    >
      <EntryInfo folder={folder} entries={entries} />
    </Dialog>
  )
}
