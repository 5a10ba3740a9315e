// Entries of a compressed tar, which can only be read from its beginning: what is asked for at the
// same time, or while the archive is being read, shares one pass through it.

import type { ReadAhead, TarEntry } from './tar-reader.ts'

interface Unpacked {
  read: ReadAhead
  cancel(): Promise<void>
}

interface Wanted {
  part: TarEntry
  resolve(bytes: Uint8Array<ArrayBuffer>): void
  reject(reason: unknown): void
}

/** `open` begins to read the unpacked archive anew; the function returned reads one entry of it. */
export function readInPasses(open: () => Promise<Unpacked>) {
  let waiting: Wanted[] = []
  let running = false

  async function run() {
    while (waiting.length > 0) {
      const pass = waiting.sort((a, b) => a.part.dataAt - b.part.dataAt)
      waiting = []
      await readPass(pass)
    }
    running = false
  }
  /** Never rejects: each of `pass` hears for itself. */
  async function readPass(pass: readonly Wanted[]) {
    let unpacked: Unpacked | null = null
    try {
      unpacked = await open()
      let last: { part: TarEntry; bytes: Uint8Array } | null = null
      for (const { part, resolve } of pass) {
        // A stream does not go back for what is wanted twice.
        const bytes: Uint8Array =
          last?.part === part ? last.bytes : await unpacked.read(part.dataAt, part.sizeBytes)
        last = { part, bytes }
        resolve(new Uint8Array(bytes))
      }
    } catch (error) {
      for (const { reject } of pass) reject(error)
    } finally {
      await unpacked?.cancel()
    }
  }
  return (part: TarEntry): Promise<Uint8Array<ArrayBuffer>> =>
    new Promise((resolve, reject) => {
      waiting.push({ part, resolve, reject })
      if (running) return
      running = true
      queueMicrotask(() => void run())
    })
}
