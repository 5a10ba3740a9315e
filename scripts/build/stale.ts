// Decides whether an output is older than what it is made of, by a fingerprint of the inputs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ROOT } from './paths.ts'

/**
 * Fingerprint over name, size and modification time of every file below the given files and folders
 * (relative to the project). Missing ones count as absent, so that creating them changes it.
 */
export function fingerprint(inputs: string[], extra = ''): string {
  const hash = createHash('sha256').update(extra)
  for (const input of inputs) addTo(hash, join(ROOT, input))
  return hash.digest('hex')
}

export function isFresh(stampFile: string, print: string): boolean {
  try {
    return readFileSync(stampFile, 'utf8') === print
  } catch {
    return false
  }
}

export async function writeStamp(stampFile: string, print: string): Promise<void> {
  await mkdir(dirname(stampFile), { recursive: true })
  await writeFile(stampFile, print)
}

function addTo(hash: ReturnType<typeof createHash>, file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isDirectory()) {
    hash.update(`${file}\0${stats.size}\0${stats.mtimeMs}\n`)
    return
  }
  for (const name of readdirSync(file).sort()) addTo(hash, join(file, name))
}
