// Where the audit log goes: a file beside the database unless it was told otherwise.
import { appendFile, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import { errnoOf } from '../lib/errors.ts'
import { giveTo, ownerFor } from '../store/owner.ts'

export interface AuditTarget {
  kind: 'file' | 'stdout' | 'off'
  /** Absolute; for a file. */
  path: string
  /** All pieces together. */
  sizeBytes: number
  /** Older lines go. */
  ageMs: number
}

/** The target that the configuration names; `storeFile` is the database in use. */
export function auditTargetOf(
  { audit, auditSizeBytes, auditAgeMs }: Config,
  storeFile: string,
): AuditTarget {
  const kind = audit === 'off' || audit === 'stdout' ? audit : 'file'
  const path = audit === 'file' ? `${storeFile}.audit.jsonl` : audit
  return { kind, path, sizeBytes: auditSizeBytes, ageMs: auditAgeMs }
}

/**
 * Appends one line from another process than the server's. What root makes belongs to whom the folder
 * belongs to, so that the server can go on with it.
 */
export async function appendLine({ kind, path }: AuditTarget, line: string): Promise<void> {
  if (kind !== 'file') return
  try {
    const file = await open(path, 'ax', 0o600)
    try {
      await giveTo(await ownerFor(dirname(path)), file)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  }
  await appendFile(path, line)
}
