// The size of upload pieces as people type it: a number with an optional unit, base 1024.

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const
const FALLBACK_BYTES = 1024 * 1024

/**
 * Bytes for texts such as `10 MB`, `512k`, `1.5G`; null for anything else and for nothing at all. 0 is a
 * size, too: with it files travel whole, in one request.
 */
export function readChunkSize(text: string): number | null {
  const match = /^\s*(\d+(?:[.,]\d+)?|[.,]\d+)\s*(?:([KMGT])B?|B)?\s*$/i.exec(text)
  if (!match) return null
  const value = Number((match[1] ?? '').replace(',', '.'))
  const power = ['', 'K', 'M', 'G', 'T'].indexOf((match[2] ?? '').toUpperCase())
  const bytes = Math.round(value * 1024 ** power)
  return Number.isSafeInteger(bytes) && (bytes > 0 || value === 0) ? bytes : null
}

/** Like `readChunkSize`, with 1 MB for what cannot be read. */
export function parseChunkSize(text: string): number {
  return readChunkSize(text) ?? FALLBACK_BYTES
}

/** In the largest unit that shows the exact number: `10 MB`, `1.5 GB`, `1000 B`. */
export function formatChunkSize(bytes: number): string {
  for (let power = UNITS.length - 1; power > 0; power--) {
    const value = bytes / 1024 ** power
    const short = Math.round(value * 100) / 100
    if (value >= 1 && short * 1024 ** power === bytes) return `${short} ${UNITS[power]}`
  }
  return `${bytes} B`
}
