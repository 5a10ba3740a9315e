// What is copied or moved, and what the conflict dialog is asked and answers.

/** What happens to the incoming entry; `rename` keeps both by giving it a free name. */
export type ClashChoice = 'replace' | 'rename' | 'skip'

export interface ClashSide {
  isDir: boolean
  /** Bytes; null when unknown, as for folders. */
  sizeBytes: number | null
  /** Milliseconds since the epoch; null when unknown. */
  modifiedMs: number | null
  /** Picture of this side, made only when its card is on screen; absent or null shows the icon. */
  thumbnail?: () => Promise<string | null> | string | null
}

export interface Clash {
  /** Unique within one dialog and the key of the answer, for example the path in the target. */
  id: string
  name: string
  /** Folder below the target, `` for the target itself; shown before the name. */
  location: string
  incoming: ClashSide
  existing: ClashSide
}

export interface ConflictProps {
  clashes: Clash[]
  targetName: string
  kind: 'upload' | 'copy' | 'move'
  /** Offers Resume in the chips for all: send what is larger here, skip the rest. */
  allowResume: boolean
  /** Replacing needs the modify permission; without it the choice is shown as refused. */
  allowReplace: boolean
  /** Entries of the same action without a clash, for the line beside the chips. */
  otherCount: number
}

/** One choice per clash id; null when the whole action was cancelled. */
export type ConflictAnswer = Map<string, ClashChoice> | null

export type TransferKind = 'copy' | 'move'

export interface TransferItem {
  path: string
  isDir: boolean
}

export interface TransferFailure {
  item: TransferItem
  error: unknown
}
