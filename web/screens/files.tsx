// The files of a signed-in person: a folder as a listing, a file in its viewer or the editor over it.

import '../listing/listing.css'
import '../listing/toolbar.css'
import '../listing/grid/rows.css'
import '../listing/states.css'
import '../listing/grid/cards.css'
import '../listing/drag/drag.css'
import '../listing/skeleton.css'
import '../listing/phone.css'
import { useLingui } from '@lingui/react/macro'
import { EllipsisVertical, Info, Search } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { formatCounts } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { closeOnBack } from '../lib/page/back.ts'
import { NO_DETAILS_PANEL, PHONE, useMedia } from '../lib/page/media.ts'
import { usePath, useQuery } from '../lib/page/navigate.ts'
import { onDemandAtOnce, onDemandBeside } from '../lib/page/on-demand.tsx'
import { useTitle } from '../lib/page/title.ts'
import {
  lineageOf,
  nameOf,
  parentOf,
  queryOf,
  readFilesPath,
  searchPath,
  shownName,
} from '../lib/paths.ts'
import { Breadcrumbs } from '../listing/breadcrumbs.tsx'
import { watchNativeDrags } from '../listing/drag/native-drag.ts'
import { FolderBody } from '../listing/folder-body.tsx'
import { GridMenu } from '../listing/grid/grid-menu.tsx'
import { PhoneFoot, PhoneHeader } from '../listing/phone-parts.tsx'
import { Toolbar } from '../listing/toolbar.tsx'
import { useAbilities, useCounts, useListing, useSelection } from '../listing/use-listing.ts'
import { UploadButton, ViewSwitch } from '../listing/view-switch.tsx'
import { currentContext, folderContext } from '../operations/commands/context.ts'
import { folderMenu, menuEntries, newMenu } from '../operations/commands/menus.ts'
import { actionOf, runAction } from '../operations/commands/registry.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { leave, openPath, watchWindow } from '../operations/open-folder.ts'
import { loadClipboard } from '../state/clipboard.ts'
import { prefs } from '../state/prefs.ts'
import { ownAbilities } from '../state/rights.ts'
import { clearSelection } from '../state/selection.ts'
import { provide } from '../state/slots.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { addDroppedItems } from '../uploads/entry.ts'

const DetailsPanel = onDemandBeside(
  async () => (await import('../listing/details/details-panel.tsx')).DetailsPanel,
  () => <aside className="details" />,
)
const FileView = onDemandAtOnce(
  async () => (await import('../viewers/frame/file-view.tsx')).FileView,
)

loadClipboard()

export function FilesScreen() {
  const { t } = useLingui()
  const address = usePath()
  // An address with a malformed escape names nothing; the server says so.
  const path = readFilesPath(address) ?? decodeLeniently(address)
  const query = useQuery().get('search')
  const vpath = query ? searchPath(path, query) : path
  const phase = useListing()
  const { kind, vpath: shown } = phase
  const hidden = kind === 'file'
  const phone = useMedia(PHONE)

  useEffect(() => openPath(vpath), [vpath])

  useEffect(() => {
    const stop = [
      watchWindow(),
      watchNativeDrags(
        () => document.getElementById('listing'),
        (data, target) => void addDroppedItems(data, target),
      ),
      leave,
    ]
    return () => {
      for (const end of stop) end()
    }
  }, [])

  useNewMenu()
  useBackEndsSelection()
  useTitle(hidden ? shownName(nameOf(shown)) : folderTitle(shown), t`Files`)
  useFolderAnnouncement(kind === 'folder' ? shown : null)

  return (
    <>
      <div className="files" inert={hidden} data-listing-keys>
        <h1 className="sr">{folderTitle(hidden ? parentOf(shown) : shown)}</h1>
        {phone ? <PhoneHeader /> : <Bar vpath={hidden ? parentOf(shown) : shown} />}
        <div className="split">
          <div className="pane grow">
            <Toolbar />
            <FolderBody />
          </div>
          <Details />
        </div>
        {phone && <PhoneFoot />}
      </div>
      <GridMenu />
      {hidden && <FileView vpath={shown} info={phase.file} />}
    </>
  )
}

/** As much of a damaged address as can be read; the server then finds nothing there. */
function decodeLeniently(address: string): string {
  return lineageOf(address).at(-1) ?? address
}

function Bar({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const { details } = useSnapshot(prefs)
  const narrow = useMedia(NO_DETAILS_PANEL)
  const { kind } = useListing()
  const isSearch = queryOf(vpath) !== null
  return (
    <div className="crumbbar row rigid">
      <Breadcrumbs vpath={vpath} />
      <div className="row rigid">
        {isSearch ? (
          <Button tone="line" icon={Search} onClick={() => runAction('search')}>
            {t`Search`}
          </Button>
        ) : (
          <UploadButton />
        )}
        {kind !== 'failed' && (
          <>
            {!isSearch && <ViewSwitch />}
            <IconButton
              icon={Info}
              label={t`Details`}
              shortcut={shownKeys('Mod+I')}
              pressed={narrow ? undefined : details}
              onClick={() => void actionOf('details').run(currentContext())}
            />
            <MenuButton
              label={t`More actions`}
              items={() => menuEntries(folderMenu, folderContext())}
            >
              {(trigger) => (
                <IconButton
                  {...trigger}
                  className="folder-more"
                  icon={EllipsisVertical}
                  label={t`More actions`}
                  disabled={kind === 'loading'}
                />
              )}
            </MenuButton>
          </>
        )}
      </div>
    </div>
  )
}

function Details() {
  const { details } = useSnapshot(prefs)
  const narrow = useMedia(NO_DETAILS_PANEL)
  if (!details || narrow) return null
  return <DetailsPanel />
}

/** The New button of the frame shows what can be made in the open folder. */
function useNewMenu(): void {
  const { kind, vpath } = useListing()
  const open = kind === 'folder' && queryOf(vpath) === null
  const { paths } = useSelection()
  const { create } = useAbilities()
  const can = create || ownAbilities().create
  // biome-ignore lint/correctness/useExhaustiveDependencies: the context is read when the menu opens
  useEffect(() => {
    if (!open || !can) return
    return provide('newMenu', { items: () => menuEntries(newMenu, currentContext()) })
  }, [open, can, paths])
}

/** On touch screens Back first ends the selection; a viewer over it goes before that. */
function useBackEndsSelection(): void {
  const { kind } = useListing()
  const { paths, mode } = useSelection()
  const selecting = kind !== 'file' && (mode || paths.size > 0)
  useLayoutEffect(() => (selecting ? closeOnBack(clearSelection) : undefined), [selecting])
}

/** Tells screen readers where they are after the folder changed. */
function useFolderAnnouncement(vpath: string | null): void {
  const { folders, files } = useCounts()
  const said = useRef<string | null>(null)
  useEffect(() => {
    if (vpath === null || said.current === vpath) return
    const first = said.current === null
    said.current = vpath
    if (first) return
    const content = formatCounts(folders, files)
    announce(content === '' ? folderTitle(vpath) : `${folderTitle(vpath)}, ${content}`)
  }, [vpath, folders, files])
}
