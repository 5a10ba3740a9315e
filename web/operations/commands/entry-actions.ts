// Commands on selected entries.

import { msg, t } from '@lingui/core/macro'
import {
  ClipboardPaste,
  Copy,
  CopyPlus,
  Download,
  Eye,
  FileSymlink,
  FolderInput,
  FolderOpen,
  Info,
  Link,
  Pencil,
  Pin,
  PinOff,
  Scissors,
  Share2,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react'
import type { FileEntry } from '../../../src/api-types.ts'
import { absoluteUrl } from '../../api/files.ts'
import { boot } from '../../lib/boot.ts'
import { announce } from '../../lib/page/announce.ts'
import { NO_DETAILS_PANEL } from '../../lib/page/media.ts'
import { quickLookState } from '../../lib/page/quick-look.ts'
import { filesHref, nameOf } from '../../lib/paths.ts'
import { canPasteInto, clipboard, fillClipboard } from '../../state/clipboard.ts'
import { isPinnedPath, prefs, setPref, togglePinned } from '../../state/prefs.ts'
import { duplicateEntries, pasteInto, transferEntries } from '../copy-and-move.ts'
import { copyLink } from '../copy-text.ts'
import { startDownload } from '../downloads.ts'
import { deleteEntries } from '../file-operations.ts'
import { openPrompt } from '../prompts.ts'
import { isFile, openEntry, openFileItself } from './open-entry.ts'
import type { Action, ActionContext } from './types.ts'

const one = ({ selected }: ActionContext): FileEntry | undefined =>
  selected.length === 1 ? selected[0] : undefined

/** The entry that Enter and Space mean: the focused one among the selected, else the only one. */
function subject({ selected, focused }: ActionContext): FileEntry | undefined {
  if (focused !== null && (selected.length === 0 || selected.includes(focused))) return focused
  return selected[0]
}

function transferItems(selected: readonly FileEntry[]) {
  return selected.map(({ path, isDir }) => ({ path, isDir }))
}

async function askAndTransfer(kind: 'copy' | 'move', context: ActionContext): Promise<void> {
  const { folder, selected } = context
  if (folder === null) return
  const items = transferItems(selected)
  const target = await openPrompt('transfer', { kind, items, folder })
  if (target !== null) await transferEntries(kind, items, target, { follow: true })
}

function takeToClipboard(kind: 'copy' | 'cut', { selected }: ActionContext): void {
  fillClipboard(kind, selected)
  const count = selected.length
  announce(kind === 'cut' ? t`${count} cut` : t`${count} copied`)
}

/** A folder to pin: the only one selected, or the open one when nothing is. */
function pinnable({ folder, selected }: ActionContext): string | null {
  if (selected.length === 0) return folder === '/' ? null : folder
  const entry = selected.length === 1 ? selected[0] : undefined
  return entry?.isDir === true ? entry.path : null
}

/** Opens or closes the panel beside the listing; where there is no room for it, a dialog. */
async function toggleDetails({ folder, selected }: ActionContext): Promise<void> {
  if (folder === null) return
  if (matchMedia(NO_DETAILS_PANEL).matches) await openPrompt('info', { folder, entries: selected })
  else setPref('details', !prefs.details)
}

export const entryActions = [
  {
    id: 'preview',
    label: msg`Preview`,
    icon: Eye,
    shownKeys: ' ',
    scope: 'listing',
    enabled: (context) => {
      const entry = subject(context)
      return entry !== undefined && isFile(entry)
    },
    run(context) {
      const entry = subject(context)
      if (entry !== undefined) openEntry(entry, quickLookState)
    },
  },
  {
    id: 'open',
    label: msg`Open`,
    icon: FolderOpen,
    shortcuts: ['Enter'],
    scope: 'listing',
    enabled: (context) => subject(context) !== undefined,
    run(context) {
      const entry = subject(context)
      if (entry !== undefined) openEntry(entry)
    },
  },
  {
    id: 'open-file',
    label: msg`Open file`,
    icon: FileSymlink,
    flipIcon: true,
    scope: 'listing',
    enabled: (context) => {
      const entry = one(context)
      return context.can.download && entry !== undefined && isFile(entry)
    },
    run(context) {
      const entry = one(context)
      if (entry !== undefined) openFileItself(entry)
    },
  },
  {
    id: 'open-tab',
    label: msg`Open in new tab`,
    icon: SquareArrowOutUpRight,
    flipIcon: true,
    scope: 'listing',
    enabled: (context) => {
      const entry = one(context)
      return entry !== undefined && entry.type !== 'invalid_link'
    },
    run(context) {
      const entry = one(context)
      if (entry === undefined) return
      window.open(filesHref(boot.BaseURL, entry.path, entry.isDir), '_blank', 'noopener')
    },
  },
  {
    id: 'share',
    label: msg`Share`,
    icon: Share2,
    scope: 'listing',
    enabled: (context) => context.can.share && context.can.download && one(context) !== undefined,
    async run(context) {
      const entry = one(context)
      if (entry !== undefined) await openPrompt('share', { path: entry.path, entry })
    },
  },
  {
    id: 'download',
    label: msg`Download`,
    icon: Download,
    shortcuts: ['Mod+S'],
    scope: 'listing',
    enabled: ({ can, folder, selected }) =>
      can.download &&
      folder !== null &&
      (selected.length !== 1 || selected[0]?.type !== 'invalid_link'),
    async run({ folder, selected }) {
      if (folder !== null) await startDownload(folder, selected)
    },
  },
  {
    id: 'copy-link',
    label: msg`Copy link`,
    icon: Link,
    scope: 'listing',
    enabled: (context) => one(context) !== undefined,
    async run(context) {
      const entry = one(context)
      if (entry === undefined) return
      await copyLink(absoluteUrl(filesHref(boot.BaseURL, entry.path, entry.isDir)))
    },
  },
  {
    id: 'rename',
    label: msg`Rename`,
    icon: Pencil,
    shortcuts: ['F2'],
    scope: 'listing',
    enabled: ({ can, selected }) => can.rename && selected.length > 0,
    async run({ selected }) {
      const [entry] = selected
      if (selected.length > 1) await openPrompt('renameMany', { entries: selected })
      else if (entry !== undefined) await openPrompt('rename', { entry })
    },
  },
  {
    id: 'copy-to',
    label: msg`Copy to…`,
    shortLabel: msg`Copy`,
    icon: Copy,
    scope: 'listing',
    enabled: ({ can, selected }) => can.create && selected.length > 0,
    run: (context) => askAndTransfer('copy', context),
  },
  {
    id: 'move-to',
    label: msg`Move to…`,
    shortLabel: msg`Move`,
    icon: FolderInput,
    flipIcon: true,
    scope: 'listing',
    enabled: ({ can, selected }) => can.rename && selected.length > 0,
    run: (context) => askAndTransfer('move', context),
  },
  {
    id: 'copy',
    label: msg({ message: 'Copy', context: 'to the clipboard' }),
    icon: Copy,
    shortcuts: ['Mod+C'],
    scope: 'listing',
    enabled: ({ can, selected }) => can.create && selected.length > 0,
    run: (context) => takeToClipboard('copy', context),
  },
  {
    id: 'cut',
    label: msg`Cut`,
    icon: Scissors,
    shortcuts: ['Mod+X'],
    scope: 'listing',
    enabled: ({ can, selected }) => can.rename && selected.length > 0,
    run: (context) => takeToClipboard('cut', context),
  },
  {
    id: 'paste',
    label: msg`Paste`,
    icon: ClipboardPaste,
    shownKeys: 'Mod+V',
    scope: 'listing',
    enabled: ({ can, folder }) =>
      folder !== null &&
      canPasteInto(folder) &&
      (clipboard.kind === 'cut' ? can.rename : can.create),
    async run({ folder }) {
      if (folder !== null) await pasteInto(folder)
    },
  },
  {
    id: 'duplicate',
    label: msg`Duplicate`,
    icon: CopyPlus,
    shortcuts: ['Mod+D'],
    scope: 'listing',
    enabled: ({ can, selected }) => can.create && selected.length > 0,
    run: ({ selected }) => duplicateEntries(transferItems(selected)),
  },
  {
    id: 'pin',
    label: msg`Pin to sidebar`,
    icon: Pin,
    scope: 'listing',
    enabled: (context) => {
      const path = pinnable(context)
      return path !== null && !isPinnedPath(path)
    },
    run(context) {
      const path = pinnable(context)
      if (path !== null) togglePinned(path, nameOf(path))
    },
  },
  {
    id: 'unpin',
    label: msg`Unpin from sidebar`,
    icon: PinOff,
    scope: 'listing',
    enabled: (context) => {
      const path = pinnable(context)
      return path !== null && prefs.pinned.some((pin) => pin.path === path)
    },
    run(context) {
      const path = pinnable(context)
      if (path !== null) togglePinned(path, nameOf(path))
    },
  },
  {
    id: 'details',
    label: msg`Details`,
    icon: Info,
    shortcuts: ['Mod+I'],
    scope: 'listing',
    enabled: ({ folder }) => folder !== null,
    run: toggleDetails,
  },
  {
    id: 'delete',
    label: msg`Delete`,
    icon: Trash2,
    shortcuts: ['Delete', 'Mod+Backspace'],
    scope: 'listing',
    danger: true,
    enabled: ({ can, selected }) => can.delete && selected.length > 0,
    async run({ selected }) {
      const items = transferItems(selected)
      const answer = await openPrompt('delete', { items })
      if (answer === true) await deleteEntries(items)
    },
  },
] as const satisfies readonly Action[]
