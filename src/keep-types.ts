// What travels of kept content (docs/http-api.md 34 and 35): types only.
import type { ErrorCode } from './api-types.ts'

/** Into the trash, there after a question, or for good after a question. */
export type OnDelete = 'trash' | 'ask' | 'gone'

/** What the page does for an account (`GET /api/preferences`). */
export interface Preferences {
  /** What Delete means where there is a trash. */
  onDelete: OnDelete
  /** Whether it opens the folder that something was copied or moved to. */
  openTarget: boolean
}

/** A deleted entry that is kept (`GET /api/trash`). */
export interface TrashItem {
  id: string
  /** Where it was, in the tree of who asks. */
  path: string
  /** Nobody knows where it was: `path` is beside the trash. For administrators alone. */
  isLost: boolean
  isDir: boolean
  /** Bytes; null until they were counted. */
  size: number | null
  /** Files in it; null until they were counted. */
  files: number | null
  /** RFC 3339; null where nobody knows, and then it stays until somebody deletes it. */
  deletedAt: string | null
  expiresAt: string | null
  /** Name of the account; null for one that is gone, and for other programs. */
  by: string | null
  canRestore: boolean
  /** It may be deleted for good. */
  canErase: boolean
}

export interface TrashPage {
  /** The newest first. */
  items: TrashItem[]
  /** For `cursor`: where older ones go on; null when there are none. */
  next: string | null
  /** How many the filter leaves, and their bytes as far as they were counted. */
  total: number
  totalBytes: number
}

/** What is kept of everybody, as far as it was counted (`GET /api/trash/usage`); most bytes first. */
export interface TrashUsage {
  /** `by` is null for what accounts that are gone and other programs have deleted. */
  accounts: (KeptSum & { by: string | null })[]
  /** `path` is the highest folder of the disk in which something is kept. */
  disks: (KeptSum & { path: string; totalBytes: number; freeBytes: number })[]
}

export interface KeptSum {
  /** Entries of the trash, and their bytes. */
  items: number
  bytes: number
  versions: number
  versionBytes: number
}

/** `POST /api/trash/restore` */
export interface RestoreAnswer {
  restored: { id: string; path: string }[]
  failed: { id: string; code: ErrorCode }[]
}

/** The content that a file had before it was replaced (`GET /api/versions/{path}`). */
export interface VersionItem {
  id: string
  size: number
  /** When this content was written; RFC 3339. */
  modified: string
  replacedAt: string
  /** Name of the account that replaced it; null for one that is gone. */
  by: string | null
  /** It stays whatever its age. */
  keep: boolean
}

/** A file that is not there any more, of which versions are (`GET /api/versions/{folder}?gone=true`). */
export interface LeftVersions {
  path: string
  versions: number
  size: number
  /** Of the latest; RFC 3339. */
  replacedAt: string
}

export interface LeftVersionsPage {
  /** The latest first, some of all. */
  items: LeftVersions[]
  total: number
  totalBytes: number
}
