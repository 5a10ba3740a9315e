// Which commands each menu and bar shows, and how a command becomes a menu entry.

import { i18n } from '@lingui/core'
import type { MenuEntry } from '../../ui/menu.tsx'
import { type ActionId, actionOf } from './registry.ts'
import { shownKeys } from './shortcut.ts'
import { type Action, type ActionContext, notHere, standingOf } from './types.ts'

type MenuPlan = readonly (ActionId | '|')[]

type WordsOf<Text> = Text extends `${infer First} ${infer Rest}` ? First | WordsOf<Rest> : Text

/** Ids of commands, parted by spaces; `|` is a line. */
function plan<const Text extends string>(words: Text): readonly WordsOf<Text>[] {
  return words.split(' ') as WordsOf<Text>[]
}

export const entryMenu = plan(
  'preview open show-in-folder open-file open-tab | share download download-as copy-link copy-path | rename duplicate copy-to move-to copy cut compress extract-here extract-to | pin unpin details delete',
)

/** The same on phones, shorter: the list does not scroll there. */
export const entrySheet = plan(
  'open-file show-in-folder share download download-as copy-link rename copy-to move-to duplicate compress extract-here extract-to pin unpin details delete',
)

/** On blank space and behind the menu button of the open folder. */
export const folderMenu = plan(
  'new-folder new-file new-from-template upload-files upload-folder fetch-file | paste select select-all refresh compact-rows | download download-as pin unpin shell deleted-here details',
)

export const newMenu = plan(
  'new-folder new-file new-from-template | upload-files upload-folder take-photo fetch-file',
)

export const selectionBar = plan('share download copy-to move-to rename delete')

export const selectionMore = plan(
  'open show-in-folder open-file open-tab copy-link copy-path | copy cut duplicate compress extract-here extract-to | pin unpin shell details | select-all select-kind invert-selection',
)

/** What its More button has while nothing is selected yet. */
export const selectionStart = plan('select-all invert-selection')

/** The bar at the lower edge of a phone while something is selected. */
export const phoneBar = plan('download move-to copy-to delete')

export const phoneMore = plan(
  'show-in-folder share rename | download-as copy-link copy-path copy cut duplicate compress extract-here extract-to pin unpin | details select-kind invert-selection',
)

/** The keys of a command as shown, or undefined when it has none. */
export function keysOf(action: Action): string | undefined {
  const shortcut = action.shownKeys ?? action.shortcuts?.[0]
  return shortcut === undefined ? undefined : shownKeys(shortcut)
}

/** The entries of a menu that fit now; lines only between entries. */
export function menuEntries(plan: MenuPlan, context: ActionContext): MenuEntry[] {
  const out: MenuEntry[] = []
  for (const id of plan) {
    if (id === '|') {
      if (out.length > 0 && out.at(-1) !== 'line') out.push('line')
      continue
    }
    const action = actionOf(id)
    const standing = standingOf(action, context)
    if (standing === 'absent') continue
    out.push({
      id,
      label: i18n._(action.label),
      icon: action.icon,
      shortcut: keysOf(action),
      danger: action.danger ?? false,
      checked: action.checked?.(context),
      toggle: action.toggle ?? false,
      flipIcon: action.flipIcon ?? false,
      disabled: standing === 'off' && notHere(),
      onSelect: () => void action.run(context),
    })
  }
  if (out.at(-1) === 'line') out.pop()
  return out
}
