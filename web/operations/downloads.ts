// Downloads: one file as it is; a folder or several entries as an archive in a format of choice.

import type { FileEntry } from '../../src/api-types.ts'
import { archiveUrl, rawUrl, rememberFormat } from '../api/files.ts'
import { namesToSend } from '../api/selections.ts'
import { saveUrl } from '../lib/save-url.ts'
import { shownFolder } from '../state/listing.ts'
import { openPrompt } from './prompts.ts'
import { toastError } from './toasts.ts'

/** Downloads `entries` of `folder`, or the whole folder when there are none. */
export async function startDownload(folder: string, entries: readonly FileEntry[]): Promise<void> {
  const [first] = entries
  if (entries.length === 1 && first !== undefined && !first.isDir) {
    saveUrl(rawUrl(first.path), first.name)
    return
  }
  const format = await openPrompt('download', { folder, entries })
  if (format === null) return
  rememberFormat(format)
  const [at, names] =
    entries.length === 1 && first !== undefined
      ? [first.path, []]
      : [folder, namesToSend(entries, countIn(folder))]
  try {
    // The server names the archive; an empty name here leaves it that way.
    saveUrl(await archiveUrl(at, names, format), '')
  } catch (error) {
    toastError(error)
  }
}

/** Entries of the folder on the screen, those filtered out included. */
function countIn(folder: string): number | undefined {
  const shown = shownFolder().folder
  return shown?.vpath === folder ? shown.entries.length : undefined
}
