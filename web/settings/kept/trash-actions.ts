// What is done with entries of the trash: the questions, the calls, and what is told of them.

import { plural, t } from '@lingui/core/macro'
import { ApiError, newOperation } from '../../api/client.ts'
import { startJob } from '../../api/files.ts'
import {
  eraseFromTrash,
  listTrash,
  type OnTaken,
  restoreTrash,
  type TrashItem,
  type TrashPage,
} from '../../api/trash.ts'
import { formatSize } from '../../lib/format.ts'
import { nameOf, parentOf, shownName } from '../../lib/paths.ts'
import { tellNotDeleted, tellNotPutBack } from '../../operations/failure-toasts.ts'
import { followJob } from '../../operations/follow-jobs.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import type { TransferFailure } from '../../operations/transfer-types.ts'
import { forgetFolder } from '../../state/folder-cache.ts'
import { hasEnded } from '../../state/jobs.ts'
import { refreshUsage } from '../../state/usage.ts'

/** What is brought back: an entry, or what lies in it, whose id ends with its path there. */
type Deleted = Pick<TrashItem, 'id' | 'path' | 'isDir'>

/**
 * Brings entries back to where they were, or into the folder `to`; asks where a name is taken. Resolves with
 * the ids of those that are back. Never rejects.
 */
export async function restoreEntries(items: readonly Deleted[], to?: string): Promise<string[]> {
  const byID = new Map(items.map((item) => [item.id, item]))
  const back: string[] = []
  const failures: TransferFailure[] = []
  let names: string[] = []

  async function attempt(ids: readonly string[], conflict: OnTaken): Promise<string[]> {
    const { restored, failed } = await restoreTrash(ids, conflict, to)
    for (const { id, path } of restored) {
      back.push(id)
      names = [...names, shownName(nameOf(path))]
      forgetFolder(parentOf(path))
    }
    const taken = failed.filter(({ code }) => conflict === 'fail' && code === 'exists')
    for (const { id, code } of failed) {
      if (taken.some((each) => each.id === id)) continue
      const { path = '', isDir = false } = byID.get(id) ?? {}
      failures.push({ item: { path, isDir }, error: new ApiError(409, code, '') })
    }
    return taken.map(({ id }) => id)
  }

  try {
    const taken = await attempt([...byID.keys()], 'fail')
    const choice = taken.length > 0 && (await askAboutTaken(taken.length))
    if (choice) await attempt(taken, choice)
  } catch (error) {
    toastError(error)
  }
  const [name = ''] = names
  if (names.length > 0) {
    const what = names.length === 1 ? name : countOf(names.length)
    toastSuccess(t`Restored: ${what}`)
    refreshUsage()
  }
  tellNotPutBack(failures)
  return back
}

const countOf = (count: number) => plural(count, { one: '# item', other: '# items' })

async function askAboutTaken(count: number): Promise<OnTaken | null> {
  const answer = await openPrompt('confirm', {
    title: plural(count, { one: '# item already exists', other: '# items already exist' }),
    text: t`Choose which one to keep.`,
    answers: [
      { id: 'replace', label: t`Replace`, tone: 'line' },
      { id: 'rename', label: t`Keep both` },
    ],
  })
  return answer as OnTaken | null
}

function tellDeleted(gone: number): void {
  toastSuccess(plural(gone, { one: 'Deleted # item', other: 'Deleted # items' }))
}

/** Asks for a folder first. */
export async function restoreElsewhere(items: readonly TrashItem[]): Promise<string[]> {
  const asked = items.map(({ path, isDir }) => ({ path, isDir }))
  const folder = parentOf(items[0]?.path ?? '/')
  const to = await openPrompt('transfer', { kind: 'choose', items: asked, folder })
  return to === null ? [] : restoreEntries(items, to)
}

/** Asks, then deletes for good. Resolves with the ids of those that are gone. Never rejects. */
export async function eraseEntries(items: readonly TrashItem[]): Promise<string[]> {
  const asked = items.map(({ path, isDir }) => ({ path, isDir }))
  if ((await openPrompt('delete', { items: asked, forGood: true })) !== true) return []
  const gone: string[] = []
  const failures: TransferFailure[] = []
  for (const { id, path, isDir } of items) {
    try {
      await eraseFromTrash(id)
      gone.push(id)
    } catch (error) {
      failures.push({ item: { path, isDir }, error })
    }
  }
  if (gone.length > 0) {
    tellDeleted(gone.length)
    refreshUsage()
  }
  tellNotDeleted(failures)
  return gone
}

/** Asks, with what it is about, then deletes everything for good. True when that has begun. Never rejects. */
export async function askToEmpty(): Promise<boolean> {
  try {
    // As it is now, not as it was when the table was read.
    const { total, totalBytes }: TrashPage = await listTrash({}, '')
    const answer = await openPrompt('confirm', {
      title: t`Empty trash`,
      text: `${countOf(total)} · ${formatSize(totalBytes)}. ${t`This can’t be undone.`}`,
      answers: [{ id: 'empty', label: t`Delete for good`, tone: 'danger' }],
    })
    if (answer !== 'empty') return false
    const job = await startJob({ kind: 'empty' }, newOperation())
    if (job.state === 'failed') toastError(new ApiError(500, job.reason, ''))
    else if (hasEnded(job)) tellDeleted(total)
    else void followJob(job)
    return true
  } catch (error) {
    toastError(error)
    return false
  }
}
