import { msg, plural, t } from '@lingui/core/macro'
import {
  ClipboardCopy,
  ClipboardPaste,
  Copy,
  CopyPlus,
  Download,
  Eye,
  FileArchive,
  FileDown,
  FileSymlink,
  Folder,
  FolderInput,
  FolderOpen,
  FolderOutput,
  Info,
  Link,
  PackageOpen,
  Pencil,
  Pin,
  PinOff,
  Scissors,
  Share2,
  Slash,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react'
import type { FileEntry } from '../../../src/api-types.ts'
import { absoluteUrl, rawUrl } from '../../api/files.ts'
import { isUnpackable } from '../../lib/archive-names.ts'
import { hasTrash } from '../../lib/boot.ts'
import { announce } from '../../lib/page/announce.ts'
import { NO_DETAILS_PANEL } from '../../lib/page/media.ts'
import { quickLookState } from '../../lib/page/quick-look.ts'
import { filesHref, nameOf } from '../../lib/paths.ts'
import { saveUrl } from '../../lib/save-url.ts'
import { canPasteInto, clipboard, fillClipboard } from '../../state/clipboard.ts'
import { openFolderPath } from '../../state/listing.ts'
import { isPinnedPath, prefs, setPref, togglePinned } from '../../state/prefs.ts'
import { renameInRow } from '../../state/renaming.ts'
import { ownAbilities } from '../../state/rights.ts'
import { copyLink, copyWithToast } from '../copy-text.ts'
import { openPrompt } from '../prompts.ts'
import { isFile, openEntry, openFileItself } from './open-entry.ts'
import { type Action, type ActionContext, runOn } from './types.ts'

const openFolder = ({ folder }: ActionContext) => folder

const one = ({ selected }: ActionContext): FileEntry | undefined =>
  selected.length === 1 ? selected[0] : undefined

const canPack = ({ can }: ActionContext) => can.create && can.download

/** The path of the only one selected, if it is what the server can unpack. */
function lonelyArchive({ selected }: Pick<ActionContext, 'selected'>): string | null {
  const [first] = selected
  const isArchive = selected.length === 1 && first && isFile(first) && isUnpackable(first.name)
  return isArchive ? first.path : null
}

/** The entry that Enter and Space mean: the focused one among the selected, else the only one. */
function subject({ selected, focused }: ActionContext): FileEntry | undefined {
  if (focused !== null && (selected.length === 0 || selected.includes(focused))) return focused
  return selected[0]
}

function transferItems(selected: readonly FileEntry[]) {
  return selected.map(({ path, isDir }) => ({ path, isDir }))
}

/** There before it is needed: screens/page-commands.tsx. */
const copyAndMove = () => import('../copy-and-move.ts')
const deleting = () => import('../deleting.ts')

const askAndTransfer = (kind: 'copy' | 'move') =>
  runOn(openFolder, async (folder, { selected }) => {
    const items = transferItems(selected)
    const target = await openPrompt('transfer', { kind, items, folder })
    if (target === null) return
    const { transferEntries } = await copyAndMove()
    await transferEntries(kind, items, target, { follow: true })
  })

async function askAndDelete(selected: readonly FileEntry[], forGood: boolean): Promise<void> {
  const items = transferItems(selected)
  const { askToDelete, deleteEntries } = await deleting()
  const how = await askToDelete(items, forGood)
  if (how !== null) await deleteEntries(items, how)
}

function takeToClipboard(kind: 'copy' | 'cut', { selected }: ActionContext): void {
  fillClipboard(kind, selected)
  const items = t`${plural(selected.length, { one: '# item', other: '# items' })}`
  announce(kind === 'cut' ? t`Cut: ${items}` : t`Copied: ${items}`)
}

/** A folder to pin: the only one selected, or the open one when nothing is. */
function pinnable({ folder, isSearch, selected }: ActionContext): string | null {
  if (selected.length === 0) return folder === '/' || isSearch ? null : folder
  const entry = selected.length === 1 ? selected[0] : undefined
  return entry?.isDir === true ? entry.path : null
}

/** Opens or closes the panel beside the listing; where there is no room for it, a dialog. */
async function toggleDetails({ folder, selected }: ActionContext): Promise<void> {
  if (folder === null) return
  const shown = openFolderPath() ?? folder
  if (matchMedia(NO_DETAILS_PANEL).matches)
    await openPrompt('info', { folder: shown, entries: selected })
  else setPref('details', !prefs.details)
}

export const entryActions = [
  {
    id: 'preview',
    label: msg`Preview`,
    icon: Eye,
    shownKeys: ' ',
    enabled: (context) => {
      const entry = subject(context)
      return entry !== undefined && isFile(entry)
    },
    run: runOn(subject, (entry) => openEntry(entry, quickLookState)),
  },
  {
    id: 'open',
    label: msg`Open`,
    icon: FolderOpen,
    shortcuts: ['Enter'],
    enabled: (context) => subject(context) !== undefined,
    run: runOn(subject, (entry) => openEntry(entry)),
  },
  {
    id: 'show-in-folder',
    label: msg`Show in folder`,
    icon: Folder,
    enabled: (context) => context.isSearch && one(context) !== undefined,
    run: runOn(one, async ({ path }) => {
      const { showInFolder } = await import('../search/show-in-folder.ts')
      await showInFolder(path)
    }),
  },
  {
    id: 'open-file',
    label: msg`Open file`,
    icon: FileSymlink,
    flipIcon: true,
    enabled: (context) => {
      const entry = one(context)
      return context.can.download && entry !== undefined && isFile(entry)
    },
    run: runOn(one, openFileItself),
  },
  {
    id: 'open-tab',
    label: msg`Open in new tab`,
    icon: SquareArrowOutUpRight,
    flipIcon: true,
    enabled: (context) => {
      const entry = one(context)
      return entry !== undefined && entry.type !== 'invalid_link'
    },
    run: runOn(one, ({ path, isDir }) => {
      window.open(filesHref(path, isDir), '_blank', 'noopener')
    }),
  },
  {
    id: 'share',
    label: msg`Share`,
    icon: Share2,
    enabled: (context) => context.can.share && context.can.download && one(context) !== undefined,
    run: runOn(one, async (entry) => {
      await openPrompt('share', { path: entry.path, entry })
    }),
  },
  {
    id: 'download',
    label: msg`Download`,
    icon: Download,
    shortcuts: ['Mod+S'],
    enabled: ({ can, folder, isSearch, selected }) =>
      can.download &&
      folder !== null &&
      !(isSearch && selected.length === 0) &&
      (selected.length !== 1 || selected[0]?.type !== 'invalid_link'),
    run: runOn(openFolder, (folder, { selected }) => startDownload(folder, selected)),
  },
  {
    id: 'download-as',
    label: msg`Download as…`,
    icon: FileDown,
    enabled: ({ can, selected, folder, isSearch }) =>
      can.download &&
      folder !== null &&
      !(isSearch && selected.length === 0) &&
      isArchived(selected),
    run: runOn(openFolder, async (folder, { selected }) => {
      await (await import('../archives.ts')).downloadAs(folder, selected)
    }),
  },
  {
    id: 'compress',
    label: msg`Compress…`,
    icon: FileArchive,
    enabled: (context) =>
      canPack(context) && context.selected.length > 0 && lonelyArchive(context) === null,
    async run({ selected }) {
      await (await import('../archives.ts')).compressEntries(selected)
    },
  },
  {
    id: 'extract-here',
    label: msg`Extract here`,
    icon: PackageOpen,
    enabled: (context) => canPack(context) && lonelyArchive(context) !== null,
    run: runOn(lonelyArchive, async (archive) => {
      await (await import('../extract.ts')).extract({ archive, to: null })
    }),
  },
  {
    id: 'extract-to',
    label: msg`Extract to…`,
    icon: FolderOutput,
    enabled: ({ can, ...context }) =>
      can.download && ownAbilities().create && lonelyArchive(context) !== null,
    run: runOn(lonelyArchive, async (archive) => {
      await (await import('../extract.ts')).extractElsewhere(archive)
    }),
  },
  {
    id: 'copy-link',
    label: msg`Copy link`,
    icon: Link,
    enabled: (context) => one(context) !== undefined,
    run: runOn(one, ({ path, isDir }) => copyLink(absoluteUrl(filesHref(path, isDir)))),
  },
  {
    id: 'copy-path',
    label: msg`Copy path`,
    icon: Slash,
    enabled: (context) => one(context) !== undefined,
    run: runOn(one, ({ path }) => copyWithToast(path, t`Path copied`)),
  },
  {
    id: 'rename',
    label: msg`Rename`,
    icon: Pencil,
    shortcuts: ['F2'],
    enabled: ({ can, selected }) => can.rename && selected.length > 0,
    async run({ selected }) {
      const [entry] = selected
      if (selected.length > 1) await openPrompt('renameMany', { entries: selected })
      else if (entry !== undefined && !(await renameInRow(entry.path, entry.name)))
        await openPrompt('rename', { entry })
    },
  },
  {
    id: 'copy-to',
    label: msg`Copy to…`,
    shortLabel: msg`Copy`,
    icon: Copy,
    enabled: ({ can, selected }) => can.gives.copy && selected.length > 0,
    run: askAndTransfer('copy'),
  },
  {
    id: 'move-to',
    label: msg`Move to…`,
    shortLabel: msg`Move`,
    icon: FolderInput,
    flipIcon: true,
    enabled: ({ can, selected }) => can.gives.move && selected.length > 0,
    run: askAndTransfer('move'),
  },
  {
    id: 'copy',
    label: msg({ message: 'Copy', context: 'to the clipboard' }),
    icon: ClipboardCopy,
    shortcuts: ['Mod+C'],
    enabled: ({ can, selected }) => can.gives.copy && selected.length > 0,
    run: (context) => takeToClipboard('copy', context),
  },
  {
    id: 'cut',
    label: msg`Cut`,
    icon: Scissors,
    shortcuts: ['Mod+X'],
    enabled: ({ can, selected }) => can.gives.move && selected.length > 0,
    run: (context) => takeToClipboard('cut', context),
  },
  {
    id: 'paste',
    label: msg`Paste`,
    icon: ClipboardPaste,
    shownKeys: 'Mod+V',
    enabled: ({ can, folder, isSearch }) =>
      folder !== null &&
      !isSearch &&
      canPasteInto(folder) &&
      can.takes[clipboard.kind === 'cut' ? 'move' : 'copy'],
    run: runOn(openFolder, async (folder) => (await copyAndMove()).pasteInto(folder)),
  },
  {
    id: 'duplicate',
    label: msg`Duplicate`,
    icon: CopyPlus,
    shortcuts: ['Mod+D'],
    enabled: ({ can, selected }) => can.create && can.gives.copy && selected.length > 0,
    async run({ selected }) {
      await (await copyAndMove()).duplicateEntries(transferItems(selected))
    },
  },
  {
    id: 'pin',
    label: msg`Pin to sidebar`,
    icon: Pin,
    enabled: (context) => {
      const path = pinnable(context)
      return path !== null && !isPinnedPath(path)
    },
    run: runOn(pinnable, (path) => togglePinned(path, nameOf(path))),
  },
  {
    id: 'unpin',
    label: msg`Unpin from sidebar`,
    icon: PinOff,
    enabled: (context) => {
      const path = pinnable(context)
      return path !== null && prefs.pinned.some((pin) => pin.path === path)
    },
    run: runOn(pinnable, (path) => togglePinned(path, nameOf(path))),
  },
  {
    id: 'details',
    label: msg`Details`,
    icon: Info,
    shortcuts: ['Mod+I'],
    enabled: ({ folder }) => folder !== null,
    run: toggleDetails,
  },
  {
    id: 'delete',
    label: msg`Delete`,
    icon: Trash2,
    shortcuts: ['Delete', 'Mod+Backspace'],
    danger: true,
    enabled: ({ can, selected }) => can.delete && selected.length > 0,
    run: ({ selected }) => askAndDelete(selected, false),
  },
  {
    id: 'delete-for-good',
    label: msg`Delete for good`,
    icon: Trash2,
    shortcuts: ['Shift+Delete'],
    danger: true,
    enabled: ({ can, selected }) => hasTrash && can.delete && selected.length > 0,
    run: ({ selected }) => askAndDelete(selected, true),
  },
] as const satisfies readonly Action[]

/** Whether a download of these is an archive; none are the folder itself. */
function isArchived(entries: readonly FileEntry[]): boolean {
  const [first] = entries
  return entries.length !== 1 || first?.isDir === true
}

/** Downloads `entries` of `folder`, or the whole folder when there are none: several things as a zip. */
async function startDownload(folder: string, entries: readonly FileEntry[]): Promise<void> {
  const [first] = entries
  if (!isArchived(entries) && first !== undefined) {
    saveUrl(rawUrl(first.path), first.name)
    return
  }
  await (await import('../archives.ts')).downloadArchive(folder, entries)
}
