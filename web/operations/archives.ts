// Archives of what is selected: downloaded, or made in the folder by a job. Loaded when one is asked for.

import { plural } from '@lingui/core/macro'
import type { FileEntry } from '../../src/api-types.ts'
import { newOperation } from '../api/client.ts'
import { type ArchiveFormat, archiveUrl, rememberFormat, startJob } from '../api/files.ts'
import { namesToSend } from '../api/selections.ts'
import { hasTrash } from '../lib/boot.ts'
import { parentOf, ROOT } from '../lib/paths.ts'
import { saveUrl } from '../lib/save-url.ts'
import { hasEnded } from '../state/jobs.ts'
import { shownFolder } from '../state/listing.ts'
import { refreshUsage } from '../state/usage.ts'
import { followJob, showJob } from './follow-jobs.ts'
import { reloadFolder } from './open-folder.ts'
import { openPrompt } from './prompts.ts'
import { toastError, toastSuccess } from './toasts.ts'
import { offerTakeBack } from './undo.ts'

/** Asks for a format and downloads `entries` of `folder`, or the whole folder when there are none. */
export async function downloadAs(folder: string, entries: readonly FileEntry[]): Promise<void> {
  const format = await openPrompt('download', { folder, entries })
  if (format === null) return
  rememberFormat(format)
  await downloadArchive(folder, entries, format)
}

/** Downloads `entries` of `folder` as an archive, or the whole folder when there are none. Never rejects. */
export async function downloadArchive(
  folder: string,
  entries: readonly FileEntry[],
  format: ArchiveFormat = 'zip',
): Promise<void> {
  const [first] = entries
  const [at, names] =
    entries.length === 1 && first !== undefined
      ? [first.path, []]
      : [
          folder,
          namesToSend(
            entries.map(({ path }) => ({ name: pathBelow(folder, path) })),
            countIn(folder),
          ),
        ]
  try {
    // The server names the archive; an empty name here leaves it that way.
    saveUrl(await archiveUrl(at, names, format), '')
  } catch (error) {
    toastError(error)
  }
}

/** The way from `folder` to what lies in it, mostly a name; hits of a search are deeper. */
function pathBelow(folder: string, path: string): string {
  return path.slice(folder === ROOT ? 1 : folder.length + 1)
}

/** Entries of the folder on the screen, those filtered out included. */
function countIn(folder: string): number | undefined {
  const shown = shownFolder().folder
  return shown?.vpath === folder ? shown.entries.length : undefined
}

/** Asks for a format and makes an archive of `entries` beside the first of them. Never rejects. */
export async function compressEntries(entries: readonly FileEntry[]): Promise<void> {
  const [first] = entries
  if (first === undefined) return
  const to = parentOf(first.path)
  const format = await openPrompt('download', { folder: to, entries, isKept: true })
  if (format === null) return
  rememberFormat(format)
  const operation = newOperation()
  const items = entries.map(({ path }) => path)
  try {
    const job = await startJob(
      { kind: 'compress', items, to, format, conflict: 'rename' },
      operation,
    )
    const isLong = !hasEnded(job)
    const { state } = isLong ? await followJob(job) : job
    refreshUsage()
    await reloadFolder(to)
    if (state === 'failed' && !isLong) showJob(job)
    if (state === 'done') {
      const count = items.length
      const text = plural(count, { one: 'Compressed # item', other: 'Compressed # items' })
      if (hasTrash) offerTakeBack(text, operation, [to])
      else toastSuccess(text)
    }
  } catch (error) {
    toastError(error)
  }
}
