// What the files screen shows, as a state machine: four phases with their data, and the events that
// lead from one to the next. Pure; listing.ts holds the phase.

import type { FileInfo } from '../../src/api-types.ts'
import type { Folder } from './folder-cache.ts'

interface Shown {
  /** The path in the address. */
  vpath: string
  /** The folder drawn: the one before while another loads, the one behind an open file. */
  folder: Folder | null
}

export type ListingPhase =
  /** `slow`: it takes long enough to deserve a skeleton. */
  | (Shown & { kind: 'loading'; slow: boolean })
  | (Shown & { kind: 'folder'; folder: Folder })
  /** `file`: an entry of its folder at first, then the full information. */
  | (Shown & { kind: 'file'; file: FileInfo })
  | (Shown & { kind: 'failed'; error: Error })

export type ListingEvent =
  /** The address changed; `known` is what is there as far as it is cached. */
  | { type: 'opened'; vpath: string; known: Folder | FileInfo | null }
  /** The answer is late. */
  | { type: 'delayed' }
  | { type: 'listed'; folder: Folder }
  | { type: 'found'; file: FileInfo }
  | { type: 'failed'; error: Error }
  | { type: 'retried' }
  /** The folder drawn has other entries. */
  | { type: 'changed'; folder: Folder }

export const START: ListingPhase = { kind: 'loading', vpath: '/', folder: null, slow: false }

export function nextPhase(phase: ListingPhase, event: ListingEvent): ListingPhase {
  const { vpath, folder } = phase
  switch (event.type) {
    case 'opened':
      return openedPhase(phase, event.vpath, event.known)
    case 'delayed':
      return phase.kind === 'loading' ? { ...phase, slow: true } : phase
    case 'listed':
      return { kind: 'folder', vpath, folder: event.folder }
    case 'found':
      return { kind: 'file', vpath, folder, file: event.file }
    case 'failed':
      return { kind: 'failed', vpath, folder, error: event.error }
    case 'retried':
      return { kind: 'loading', vpath, folder, slow: false }
    case 'changed':
      return folder?.vpath === event.folder.vpath ? { ...phase, folder: event.folder } : phase
  }
}

function openedPhase(
  phase: ListingPhase,
  vpath: string,
  known: Folder | FileInfo | null,
): ListingPhase {
  const drawn = phase.folder
  if (known !== null && !('entries' in known))
    return { kind: 'file', vpath, folder: drawn, file: known }
  const folder = drawn?.vpath === vpath ? drawn : known
  if (folder !== null) return { kind: 'folder', vpath, folder }
  // A skeleton that is there stays: what was drawn before it would only flash up.
  const slow = phase.kind === 'loading' && phase.slow
  return { kind: 'loading', vpath, folder: drawn, slow }
}
