// What this browser remembers of uploads that are not finished.

import { boot } from '../../lib/boot.ts'
import { openJournal } from '../journal.ts'
import { createHandleStore } from './handle-store.ts'

/** Names the journal and the channel between tabs; instances below other base URLs have their own. */
export const scopeName = `fb-uploads ${boot.BaseURL}`
export const journal = openJournal(scopeName)
export const handleStore = createHandleStore(`fb-upload-handles ${boot.BaseURL}`)

/** There is nothing of it to go on with. */
export function forgetBatch(id: string): void {
  journal.removeBatch(id)
  void handleStore.remove(id)
}
