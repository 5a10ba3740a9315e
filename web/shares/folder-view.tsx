// How a shared folder is shown: as a list, as cards, as a wall of pictures. A visitor's choice is kept; before there is
// one, an album shows its pictures.

import { useLingui } from '@lingui/react/macro'
import { Images, LayoutGrid, List } from 'lucide-react'
import { useState } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import { storage } from '../lib/storage.ts'
import { Segmented } from '../ui/toggle.tsx'

export type FolderViewKind = 'list' | 'grid' | 'gallery'

const VIEWS: readonly FolderViewKind[] = ['list', 'grid', 'gallery']
const STORAGE_KEY = 'fb-shared-view'
/** Fewer pictures are no album. */
const ALBUM_LEAST = 6

/** Whether the entries are an album: some pictures and films, and few files of other kinds. */
export function isAlbum(entries: readonly Pick<FileEntry, 'isDir' | 'type'>[]): boolean {
  const files = entries.filter(({ isDir }) => !isDir)
  const pictures = files.filter(({ type }) => type === 'image' || type === 'video')
  return pictures.length >= ALBUM_LEAST && pictures.length > files.length / 2
}

export function useFolderView(entries: readonly FileEntry[]) {
  const [chosen, setChosen] = useState(() => {
    const kept = storage.get(STORAGE_KEY)
    return VIEWS.find((view) => view === kept) ?? null
  })
  const choose = (view: FolderViewKind) => {
    setChosen(view)
    storage.set(STORAGE_KEY, view)
  }
  return [chosen ?? (isAlbum(entries) ? 'gallery' : 'list'), choose] as const
}

interface FolderViewSwitchProps {
  view: FolderViewKind
  onChange(view: FolderViewKind): void
}

export function FolderViewSwitch({ view, onChange }: FolderViewSwitchProps) {
  const { t } = useLingui()
  return (
    <Segmented
      label={t`View`}
      value={view}
      onChange={onChange}
      options={[
        { value: 'list', label: t`List`, icon: List, iconOnly: true },
        { value: 'grid', label: t`Grid`, icon: LayoutGrid, iconOnly: true },
        { value: 'gallery', label: t`Gallery`, icon: Images, iconOnly: true },
      ]}
    />
  )
}
