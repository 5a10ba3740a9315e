// What stands around the results: where it is searched, and what is said when there are none.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { messageOf } from '../api/error-text.ts'
import { instanceName } from '../lib/boot.ts'
import { nameOf, ROOT } from '../lib/paths.ts'
import { Chip } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { Spinner } from '../ui/progress.tsx'
import type { SearchState } from './run-search.ts'

interface PlaceProps {
  base: string
  openFolder: string
  onChange: (base: string) => void
}

/** Where it is searched: the open folder, or everything. */
export function Place({ base, openFolder, onChange }: PlaceProps) {
  const { t } = useLingui()
  const name = nameOf(base) || t`My files`
  if (openFolder === ROOT) return null
  return (
    <MenuButton
      label={t`Search in`}
      items={() =>
        [openFolder, ROOT].map((path) => ({
          id: path,
          label: nameOf(path) || t`My files`,
          checked: path === base,
          onSelect: () => onChange(path),
        }))
      }
    >
      {(trigger) => (
        <Chip {...trigger} className="sx__place">
          <span className="trunc">
            <Trans>
              In: <strong>{name}</strong>
            </Trans>
          </span>
          <ChevronDown className="i i-xs" aria-hidden />
        </Chip>
      )}
    </MenuButton>
  )
}

interface NothingProps {
  state: SearchState | null
  query: string
  base: string
  onRetry: () => void
  onEverywhere: () => void
}

export function Nothing({ state, query, base, onRetry, onEverywhere }: NothingProps) {
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
