// What can be done with the file in the frame, each only with its permission, by the same commands
// as in the listing.

import { useLingui } from '@lingui/react/macro'
import { Download, FileSymlink, Info, Pencil, Share2, SquarePen, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { hasTrash } from '../../lib/boot.ts'
import { mayLeave } from '../../lib/page/navigate.ts'
import { parentOf } from '../../lib/paths.ts'
import { openFileItself } from '../../operations/commands/open-entry.ts'
import { matchesShortcut, shownKeys } from '../../operations/commands/shortcut.ts'
import { askToDelete, deleteEntries } from '../../operations/deleting.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { stopPlaying } from '../media/corner.ts'
import { isText, opensInEditor } from './kinds.ts'
import { showFile } from './show-file.ts'
import type { FrameAction, ViewerProps } from './source.ts'

export function useFrameActions(props: Omit<ViewerProps, 'setFacts'>): FrameAction[] {
  const { source, entry, siblings, navigate, close, openAs } = props
  const { share, download, rename, delete: remove } = source.permissions
  const { t } = useLingui()
  return useMemo(() => {
    const withKeys = (...shortcuts: string[]) => ({
      shortcut: shownKeys(shortcuts[0] ?? ''),
      matches: (event: KeyboardEvent) => shortcuts.some((keys) => matchesShortcut(event, keys)),
    })
    const shown = { entry, siblings, navigate, close }
    const all: (FrameAction | false)[] = [
      share && {
        id: 'share',
        label: t`Share`,
        icon: Share2,
        onSelect: () => void openPrompt('share', { path: entry.path, entry }),
      },
      download && {
        id: 'download',
        label: t`Download`,
        icon: Download,
        ...withKeys('Mod+S'),
        onSelect: () => source.download(entry),
      },
      download &&
        source.kind === 'files' && {
          id: 'open-file',
          label: t`Open file`,
          icon: FileSymlink,
          onSelect: () => openFileItself(entry),
        },
      rename && {
        id: 'rename',
        label: t`Rename`,
        icon: Pencil,
        ...withKeys('F2'),
        async onSelect() {
          // Afterwards the text could only be saved to a name that is gone.
          if (!(await mayLeave())) return
          const renamed = await openPrompt('rename', { entry })
          if (renamed !== null) await showFile(renamed, { replace: true })
        },
      },
      download &&
        isText(entry) && {
          id: 'edit',
          label: t`Open in editor`,
          icon: SquarePen,
          onSelect: () => openAs('text'),
        },
      {
        id: 'details',
        label: t`Details`,
        icon: Info,
        ...withKeys('Mod+I'),
        onSelect: () => void openPrompt('info', { folder: parentOf(entry.path), entries: [entry] }),
      },
      remove && {
        id: 'delete',
        label: t`Delete`,
        icon: Trash2,
        danger: true,
        ...withKeys('Delete', 'Mod+Backspace'),
        onSelect: () => void deleteShown(shown, false),
      },
      remove &&
        hasTrash && {
          id: 'delete-for-good',
          label: t`Delete for good`,
          icon: Trash2,
          danger: true,
          byKeysOnly: true,
          ...withKeys('Shift+Delete'),
          onSelect: () => void deleteShown(shown, true),
        },
    ]
    return all.filter((action) => action !== false)
  }, [source, entry, siblings, navigate, close, openAs, share, download, rename, remove, t])
}

type Shown = Pick<ViewerProps, 'entry' | 'siblings' | 'navigate' | 'close'>

/** Asks where that is due, and goes on to a neighbour. */
async function deleteShown(
  { entry, siblings, navigate, close }: Shown,
  forGood: boolean,
): Promise<void> {
  if (!(await mayLeave())) return
  const items = [{ path: entry.path, isDir: false }]
  const how = await askToDelete(items, forGood)
  if (how === null) return
  const at = siblings.findIndex(({ path }) => path === entry.path)
  // Not a text: the next Delete would take a character of it.
  const heir = [siblings[at + 1], siblings[at - 1]].find(
    (beside) => beside && !opensInEditor(beside),
  )
  stopPlaying()
  if (heir && at >= 0) navigate(heir)
  else close()
  await deleteEntries(items, how)
}
