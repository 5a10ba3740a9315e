// What is said in the place of entries where there are none: an invitation in an empty folder, what a filter or a
// search did not find.

import { Trans, useLingui } from '@lingui/react/macro'
import { FolderPlus, FolderUp, Upload } from 'lucide-react'
import type { MouseEvent } from 'react'
import { SearchOutcome } from '../layout/search-outcome.tsx'
import { canPickFolders, TOUCHED, useMedia } from '../lib/page/media.ts'
import { goHref } from '../lib/page/navigate.ts'
import { filesHref, parentOf, queryOf, ROOT, searchPath } from '../lib/paths.ts'
import { runAction } from '../operations/commands/registry.ts'
import { refreshFolder } from '../operations/open-folder.ts'
import type { Folder } from '../state/folder-cache.ts'
import { setShown } from '../state/listing.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { openGridMenu } from './grid/grid-menu.tsx'
import { useAbilities, useListing } from './use-listing.ts'

export function NoEntries() {
  const { folder } = useListing().shown
  if (folder === null || folder.entries.length > 0) return <NothingShown />
  return folder.search ? <NoHits {...folder} /> : <EmptyFolder />
}

function NoHits({ vpath, search }: Pick<Folder, 'vpath' | 'search'>) {
  const query = queryOf(vpath) ?? ''
  return (
    <div className="body__message" id="listing" tabIndex={-1} data-listing-keys="">
      <SearchOutcome
        state={{ running: search === 'running', error: search instanceof Error ? search : null }}
        query={query}
        base={parentOf(vpath)}
        onRetry={() => void refreshFolder()}
        onEverywhere={() => void goHref(filesHref(searchPath(ROOT, query), true))}
      />
    </div>
  )
}

function EmptyFolder() {
  const { t } = useLingui()
  const can = useAbilities().create
  const touched = useMedia(TOUCHED)
  return (
    <div
      id="listing"
      className="body__message empty"
      role="region"
      aria-label={t`Files`}
      tabIndex={-1}
      data-listing-keys=""
      onContextMenu={(event: MouseEvent) => {
        event.preventDefault()
        openGridMenu(null, { x: event.clientX, y: event.clientY })
      }}
    >
      <EmptyState
        art="folder"
        title={<Trans>This folder is empty</Trans>}
        actions={
          can && (
            <>
              <Button tone="fill" icon={Upload} onClick={() => runAction('upload-files')}>
                <Trans>Upload files</Trans>
              </Button>
              {canPickFolders() && (
                <Button tone="line" icon={FolderUp} onClick={() => runAction('upload-folder')}>
                  <Trans>Upload folder</Trans>
                </Button>
              )}
              <Button tone="line" icon={FolderPlus} onClick={() => runAction('new-folder')}>
                <Trans>New folder</Trans>
              </Button>
            </>
          )
        }
      >
        {can && !touched ? (
          <Trans>Drop files or folders anywhere on this page, or choose an option below.</Trans>
        ) : (
          <Trans>There is nothing here yet.</Trans>
        )}
      </EmptyState>
    </div>
  )
}

function NothingShown() {
  const { filter } = useListing().shown
  return (
    <div className="body__message" id="listing" tabIndex={-1} data-listing-keys="">
      <EmptyState
        art="search"
        title={<Trans>No matches</Trans>}
        actions={
          <Button tone="line" onClick={() => setShown({ filter: '' })}>
            <Trans>Clear filter</Trans>
          </Button>
        }
      >
        <Trans>No names in this folder contain “{filter.trim()}”.</Trans>
      </EmptyState>
    </div>
  )
}
