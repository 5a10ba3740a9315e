// View and order as the account keeps them: what folders without a choice of their own look like.

import type { Sorting, ViewMode } from '../../src/api-types.ts'
import { session } from '../state/session.ts'
import { toastError } from './toasts.ts'

export function defaultView(): ViewMode {
  const mode = session.user?.viewMode
  return mode === 'mosaic' || mode === 'mosaic gallery' ? mode : 'list'
}

// Clicks can come faster than answers: each save waits for the one before, and only the newest of
// those waiting is sent.
let pending: { viewMode?: ViewMode; sorting?: Sorting } | null = null
let running = false

/** Saves in the background; what is on the screen stays even when that fails. */
export function saveDefaults(change: { viewMode?: ViewMode; sorting?: Sorting }): void {
  if (session.user === null) return
  if (change.viewMode !== undefined) session.user.viewMode = change.viewMode
  pending = { ...pending, ...change }
  if (!running) void saveNext()
}

async function saveNext(): Promise<void> {
  running = true
  while (pending !== null) {
    const change = pending
    pending = null
    const id = session.user?.id
    if (id === undefined) break
    try {
      const { updateUser } = await import('../api/users.ts')
      await updateUser(id, change)
    } catch (error) {
      toastError(error)
    }
  }
  running = false
}
