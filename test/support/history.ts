// The history of an account over HTTP, for tests.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { HistoryItem, HistoryPage, Undoing } from '../../src/history-types.ts'
import { type OpenedApp, openApp, type TestAppOptions } from './app.ts'
import type { SignedIn } from './login.ts'

/** An application with this tree, and bob (2). */
export async function opened(tree: TestAppOptions['tree'], more: TestAppOptions = {}) {
  const app = await openApp({ tree: tree ?? {}, users: [{ username: 'bob' }], ...more })
  return { app, bob: await app.as('bob') }
}

export const patch = (who: SignedIn, from: string, query: string, operation?: string) =>
  who.fetch(`/api/resources${from}?${query}`, {
    method: 'PATCH',
    headers: operation ? { 'X-Operation': operation } : {},
  })

export const move = (who: SignedIn, from: string, to: string, operation?: string) =>
  patch(who, from, `action=rename&destination=${encodeURIComponent(to)}`, operation)

export async function history(who: SignedIn, query = ''): Promise<HistoryPage> {
  const answer = await who.fetch(`/api/history${query}`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as HistoryPage
}

export async function latest(who: SignedIn): Promise<HistoryItem> {
  const [item] = (await history(who, '?limit=1')).items
  if (!item) throw new Error('the history is empty')
  return item
}

export async function undo(who: SignedIn, id: string): Promise<Undoing & { status: number }> {
  const answer = await who.fetch(`/api/history/${id}/undo`, { method: 'POST' })
  const text = await answer.text()
  const told = text.startsWith('{') ? (JSON.parse(text) as Undoing) : { done: 0, kept: [] }
  return { ...told, status: answer.status }
}

/** What is in a folder, but for what belongs to the server. */
export const names = async ({ tree }: OpenedApp, path = '') =>
  (await readdir(join(tree.root, path))).filter((name) => !name.startsWith('.')).sort()
