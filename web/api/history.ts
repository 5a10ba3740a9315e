// What the account has changed, and taking it back.

import type { HistoryPage, Undoing } from '../../src/history-types.ts'
import { ApiError, callJson } from './client.ts'

/** The newest records, or those before `before`, a `next` of another page. */
export async function listHistory(before: string, signal?: AbortSignal): Promise<HistoryPage> {
  return callJson('/history', { query: before === '' ? {} : { before }, signal })
}

/** Takes back a record, by its id or the name of its operation. What has changed since stays, which may be all. */
export async function undoRecord(id: string): Promise<Undoing> {
  try {
    return await callJson(`/history/${id}/undo`, { method: 'POST' })
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    // With a code it is no answer of this call's own: somebody was faster.
    return error.code === null ? JSON.parse(error.text) : { done: 0, kept: [] }
  }
}
