// A user command is one object. Toolbar, selection bar, menus, palette, keyboard and help all render
// the same list, so a command exists in all of them or in none.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LucideIcon } from 'lucide-react'
import type { FileEntry } from '../../../src/api-types.ts'
import { type Abilities, ownAbilities } from '../../state/rights.ts'

/** What a command works on, gathered at the moment it is asked. */
export interface ActionContext {
  /** The folder on the screen; null where there is none. */
  folder: string | null
  /** The hits of a search below it are shown: nothing can be put among them. */
  isSearch: boolean
  /** Selected entries in the order of the screen. */
  selected: readonly FileEntry[]
  focused: FileEntry | null
  can: Abilities
}

export interface Action {
  id: string
  label: MessageDescriptor
  /** Printed where room is short, on phones; its name is `label`. */
  shortLabel?: MessageDescriptor
  icon: LucideIcon
  /** The icon points somewhere and is mirrored in right-to-left languages. */
  flipIcon?: boolean
  /** Combinations as in shortcut.ts; the first one is shown. */
  shortcuts?: readonly string[]
  /** Shown as a shortcut although another part of the page handles the key. */
  shownKeys?: string
  /** Its keys work wherever nothing is typed; those of others only while the listing has the keyboard. */
  everywhere?: true
  danger?: boolean
  /** False hides the command: no permission, or it does not fit the selection. */
  enabled(context: ActionContext): boolean
  /** It is switched on and off by itself rather than chosen among several. */
  toggle?: boolean
  /** True or false for commands that are on or off. */
  checked?(context: ActionContext): boolean
  run(context: ActionContext): void | Promise<void>
}

/**
 * `off`: the account may do it elsewhere, but not in this folder. What it may do nowhere, or what does not fit the
 * selection, is absent.
 */
export function standingOf(action: Action, context: ActionContext): 'on' | 'off' | 'absent' {
  if (action.enabled(context)) return 'on'
  return action.enabled({ ...context, can: ownAbilities() }) ? 'off' : 'absent'
}

export const notHere = () => i18n._(msg`Not allowed in this folder`)

/** A command that does something with what `find` gives, and nothing where that is nothing. */
export function runOn<T>(
  find: (context: ActionContext) => T | null | undefined,
  run: (found: T, context: ActionContext) => void | Promise<void>,
): Action['run'] {
  return (context) => {
    const found = find(context)
    return found === null || found === undefined ? undefined : run(found, context)
  }
}
