// Every command, by id. Menus and bars name the ids they show, in their order.

import { currentContext } from './context.ts'
import { entryActions } from './entry-actions.ts'
import { folderActions } from './folder-actions.ts'
import { pageActions } from './page-actions.ts'
import type { Action, ActionContext } from './types.ts'

const all = [...entryActions, ...folderActions, ...pageActions] as const

export type ActionId = (typeof all)[number]['id']

export const actions: readonly Action[] = all

const byId = new Map<string, Action>(all.map((action) => [action.id, action]))

export function actionOf(id: ActionId): Action {
  const action = byId.get(id)
  if (action === undefined) throw new Error(`no action ${id}`)
  return action
}

/** Runs a command if it fits. False when it does not. */
export function runAction(id: ActionId, context: ActionContext = currentContext()): boolean {
  const action = actionOf(id)
  if (!action.enabled(context)) return false
  void action.run(context)
  return true
}
