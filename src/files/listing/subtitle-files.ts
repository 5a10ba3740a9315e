// Which subtitle files belong to a video (docs/http-api.md 6.5). Text only: the caller has read the folders.

import { suffixOf, type VPath } from '../../lib/vpath.ts'
import type { DirEntry } from '../place/list-folder.ts'

/** Names of folders beside a video whose subtitles belong to every video there. */
export const SUBTITLE_FOLDER = /^(subs|subtitles)$/i

const SUBTITLE_EXTENSION = /^\.(vtt|srt|ass|ssa)$/i

export function isSubtitle(name: string): boolean {
  return SUBTITLE_EXTENSION.test(suffixOf(name))
}

/**
 * The entries of a folder that can matter to findSubtitles. Sought once per folder, so that a
 * folder of thousands of videos is not read through once for each of them.
 */
export function subtitleCandidates<T extends DirEntry>(entries: readonly T[]): T[] {
  return entries.filter(({ kind, name }) =>
    kind === 'dir' ? SUBTITLE_FOLDER.test(name) : isSubtitle(name),
  )
}

/**
 * The subtitles of the video `videoName`, in the order of `entries`, the names of its folder:
 * files beside it that start with its name, everything in a subtitle folder, and there, one level
 * deeper, in folders that start with its name. `folders` holds the entries of subtitle folders and
 * of the folders inside them. All entries have passed the rules already.
 */
export function findSubtitles(
  videoName: string,
  entries: readonly DirEntry[],
  folders: ReadonlyMap<VPath, readonly DirEntry[]>,
): VPath[] {
  const base = videoName.slice(0, videoName.length - suffixOf(videoName).length)
  const found: VPath[] = []
  const add = (entry: DirEntry) => {
    if (isFile(entry) && isSubtitle(entry.name)) found.push(entry.vpath)
  }
  for (const entry of entries) {
    if (entry.kind !== 'dir') {
      if (entry.name.startsWith(base)) add(entry)
      continue
    }
    if (!SUBTITLE_FOLDER.test(entry.name)) continue
    for (const inner of folders.get(entry.vpath) ?? []) {
      if (inner.kind !== 'dir') add(inner)
      else if (inner.name.startsWith(base))
        for (const deep of folders.get(inner.vpath) ?? []) add(deep)
    }
  }
  return found
}

function isFile(entry: DirEntry): boolean {
  return entry.kind === 'file' || entry.kind === 'link'
}
