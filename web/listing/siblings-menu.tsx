// The folders beside one on the way to the open folder, as a menu.

import { useLingui } from '@lingui/react/macro'
import { FolderOpen } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { isAbort } from '../api/client.ts'
import { nameOf, shownName } from '../lib/paths.ts'
import { openFolder } from '../operations/commands/open-entry.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { toastError } from '../operations/toasts.ts'
import { type Subfolder, subfoldersOf } from '../state/folder-tree.ts'
import { listFolder } from '../state/listed-folder.ts'
import { FolderGlyph } from '../ui/file-icon.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { siblingsShown } from './siblings.ts'

interface SiblingsMenuProps {
  parent: string
  /** The one on the way. */
  current: string
  anchor: HTMLElement
  byKeyboard: boolean
  onClose(): void
}

/** Nothing until the folders are known. */
export function SiblingsMenu(props: SiblingsMenuProps) {
  const { parent, current, anchor, byKeyboard, onClose } = props
  const { t } = useLingui()
  const [folders, setFolders] = useState<readonly Subfolder[] | null>(null)
  const fail = useEffectEvent((error: unknown) => {
    if (isAbort(error)) return
    toastError(error)
    onClose()
  })

  useEffect(() => {
    const controller = new AbortController()
    listFolder(parent, controller.signal).then(subfoldersOf).then(setFolders).catch(fail)
    return () => controller.abort()
  }, [parent])

  if (folders === null) return null
  const { shown, left } = siblingsShown(folders, current)
  const items: MenuEntry[] = shown.map(({ path, unreachable }) => ({
    id: path,
    label: shownName(nameOf(path)),
    glyph: <FolderGlyph />,
    checked: path === current,
    disabled: unreachable ? t`The disk isn’t responding. Try again later.` : false,
    onSelect: () => openFolder(path),
  }))
  if (left > 0) {
    items.push('line', {
      id: 'all',
      label: t`Show all folders`,
      icon: FolderOpen,
      onSelect: () => openFolder(parent),
    })
  }
  return (
    <Menu
      label={t`Folders in “${folderTitle(parent)}”`}
      items={items}
      anchor={anchor}
      focusFirst={byKeyboard}
      fromChecked
      onClose={onClose}
    />
  )
}
