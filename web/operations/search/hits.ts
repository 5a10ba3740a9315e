// The hits of a search as the listing of a folder.

import { ref } from 'valtio'
import type { FileEntry, FileType, SearchHit } from '../../../src/api-types.ts'
import { fileClassOf } from '../../lib/file-class.ts'
import { joinPath, nameOf, parentOf, queryOf } from '../../lib/paths.ts'
import type { Folder } from '../../state/folder-cache.ts'
import { withChanges } from '../../state/folder-changes.ts'
import { runSearch, type SearchState } from './run-search.ts'

/**
 * Searches anew for what `vpath` asks for (`searchPath`). `onSome` gets what was found so far, at most every 80 ms; the
 * result is all of it, or what there was before the search failed.
 *
 * @throws AbortError when `signal` was aborted.
 */
export async function findHits(
  vpath: string,
  signal: AbortSignal,
  onSome: (folder: Folder) => void,
): Promise<Folder> {
  const base = parentOf(vpath)
  const known = new Map<SearchHit, FileEntry>()
  const entryOf = (hit: SearchHit) => {
    const entry = known.get(hit) ?? toEntry(base, hit)
    known.set(hit, entry)
    return entry
  }
  const toFolder = (state: SearchState): Folder => {
    const entries = state.hits.map(entryOf)
    return withChanges(
      ref({
        vpath,
        entries,
        byPath: new Map(entries.map((entry) => [entry.path, entry])),
        ...{ sorting: undefined, inServerOrder: false, modifiedMs: 0, mode: 0 },
        // What is not complete is never fresh.
        fetchedAtMs: state.running ? 0 : Date.now(),
        search: stateOf(state),
      }),
    )
  }
  let last: SearchState | undefined
  await runSearch(base, queryOf(vpath) ?? '', signal, (state) => {
    last = state
    if (state.running) onSome(toFolder(state))
  })
  signal.throwIfAborted()
  return toFolder(last as SearchState)
}

function stateOf({ running, isCut, error }: SearchState): Folder['search'] {
  if (error !== null) return error instanceof Error ? error : new Error(String(error))
  return running ? 'running' : isCut ? 'cut' : 'done'
}

/** What the server tells of a hit as an entry; its kind by its name, its permission bits unknown. */
export function toEntry(base: string, hit: SearchHit): FileEntry {
  const { path, dir: isDir, size = 0, modified = '', unreachable } = hit
  const name = nameOf(path)
  const dot = isDir ? -1 : name.lastIndexOf('.')
  return {
    path: joinPath(base, path),
    ...{ name, size, modified, isDir, mode: 0, isSymlink: false },
    extension: dot < 0 ? '' : name.slice(dot),
    type: typeOf(name, isDir),
    ...(unreachable && { unreachable }),
  }
}

const TOLD: readonly string[] = ['image', 'video', 'audio', 'pdf'] satisfies FileType[]

function typeOf(name: string, isDir: boolean): FileType {
  const kind = fileClassOf({ name, isDir })
  return TOLD.includes(kind) ? (kind as FileType) : ''
}
