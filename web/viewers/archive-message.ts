// What the archive worker and the page say to each other.

export interface WorkerItem {
  path: string
  isDir: boolean
  sizeBytes: number
  modifiedMs: number | null
  encrypted: boolean
}

export type ArchiveRequest =
  | { kind: 'open'; bytes: ArrayBuffer; maxEntries: number; maxBytes: number }
  | { kind: 'read'; index: number; maxBytes: number }

export type ArchiveReply =
  | { kind: 'list'; items: WorkerItem[]; truncated: boolean }
  | { kind: 'bytes'; bytes: ArrayBuffer }
  | { kind: 'failed'; reason: 'damaged' | 'too_large' | 'encrypted' }
