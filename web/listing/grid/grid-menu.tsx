// The context menu of the listing: for the selection, or for the folder on blank space.

import { useLingui } from '@lingui/react/macro'
import { proxy, ref, useSnapshot } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { currentContext } from '../../operations/commands/context.ts'
import { entryMenu, entrySheet, folderMenu, menuEntries } from '../../operations/commands/menus.ts'
import { clearSelection, selection } from '../../state/selection.ts'
import { Menu } from '../../ui/menu.tsx'
import { EntryFacts } from '../details/entry-facts.tsx'
import { EntryIcon } from './entry-cells.tsx'
import { isTouch, selectForAction } from './grid-pointer.ts'
import { NameLabel } from './name-label.tsx'

type Anchor = HTMLElement | { x: number; y: number }

interface OpenMenu {
  anchor: Anchor
  entry: FileEntry | null
  byKeyboard: boolean
  /** The menu is about `entry` alone and nothing is selected: a finger did not choose. */
  passing: boolean
}

const state = proxy({
  open: null as OpenMenu | null,
})

/** Opens the menu of an entry (selecting it first), or, with null, of the open folder. */
export function openGridMenu(entry: FileEntry | null, anchor: Anchor, byKeyboard = false): void {
  const passing = isTouch() && entry !== null && selection.paths.size === 0
  if (entry === null) clearSelection()
  else if (!passing) selectForAction(entry)
  state.open = ref({ anchor, entry, byKeyboard, passing })
}

export function GridMenu() {
  const { t } = useLingui()
  const { open } = useSnapshot(state)
  if (open === null) return null
  const entry = open.entry as FileEntry | null
  const context =
    open.passing && entry !== null
      ? { ...currentContext(), selected: [entry], focused: entry }
      : currentContext()
  return (
    <Menu
      label={t`Actions`}
      items={menuEntries(entry === null ? folderMenu : isTouch() ? entrySheet : entryMenu, context)}
      anchor={open.anchor as Anchor}
      focusFirst={open.byKeyboard}
      header={
        entry !== null &&
        context.selected.length <= 1 && (
          <span className="menu-entry row">
            <EntryIcon entry={entry} size="lg" />
            <span className="menu-entry__words">
              <NameLabel name={entry.name} />
              <EntryFacts entry={entry} />
            </span>
          </span>
        )
      }
      onClose={() => {
        state.open = null
      }}
    />
  )
}
