// What is said where a search has no hits: none yet, none at all, or that it failed.

import { Trans, useLingui } from '@lingui/react/macro'
import { messageOf } from '../api/error-text.ts'
import { instanceName } from '../lib/boot.ts'
import { nameOf, ROOT } from '../lib/paths.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { Spinner } from '../ui/progress.tsx'

interface Outcome {
  running: boolean
  error: unknown
}

interface SearchOutcomeProps {
  /** Null before it began. */
  state: Outcome | null
  query: string
  base: string
  onRetry: () => void
  onEverywhere: () => void
}

export function SearchOutcome({ state, query, base, onRetry, onEverywhere }: SearchOutcomeProps) {
  const { t } = useLingui()
  const place = nameOf(base) || instanceName
  if (query === '') {
    return (
      <p className="sx__hint fs-md mid">
        <Trans>
          Searches file and folder names in “<bdi>{place}</bdi>” and its subfolders.
        </Trans>
        <br />
        <Trans>
          Finds names containing all the words, in any order. Use quotation marks for an exact
          phrase.
        </Trans>
      </p>
    )
  }
  if (state === null || (state.running && state.error === null)) {
    return (
      <p className="sx__hint row fs-md mid">
        <Spinner /> <Trans>Searching…</Trans>
      </p>
    )
  }
  if (state.error !== null) {
    return (
      <EmptyState
        art="broken"
        title={t`Search couldn’t be completed`}
        actions={
          <Button tone="fill" onClick={onRetry}>
            <Trans>Try again</Trans>
          </Button>
        }
      >
        {messageOf(state.error)}
      </EmptyState>
    )
  }
  return (
    <EmptyState
      art="search"
      title={t`Nothing found`}
      actions={
        base !== ROOT && (
          <Button tone="line" onClick={onEverywhere}>
            <Trans>Search in all files</Trans>
          </Button>
        )
      }
    >
      <Trans>
        No names in “<bdi>{place}</bdi>” or its subfolders match. Try a shorter search or another
        type.
      </Trans>
    </EmptyState>
  )
}
