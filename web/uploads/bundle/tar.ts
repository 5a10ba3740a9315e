// The parts of a tar, by POSIX.1-2001 (pax), which takes names of any length and times in milliseconds.

const BLOCK_BYTES = 512
const NAME_BYTES = 100
const MODE = 0o644

/** Two empty blocks. */
export const TAR_END = new Uint8Array(2 * BLOCK_BYTES)

/** What stands before the bytes of a file. */
export function tarHead(name: string, sizeBytes: number, modifiedMs: number): Uint8Array {
  const facts = new TextEncoder().encode(
    paxRecord('path', name) + paxRecord('mtime', String(modifiedMs / 1000)),
  )
  const seconds = Math.max(0, Math.floor(modifiedMs / 1000))
  const factsBytes = facts.length + tarPad(facts.length).length
  const head = new Uint8Array(2 * BLOCK_BYTES + factsBytes)
  writeHeader(head.subarray(0, BLOCK_BYTES), 'facts', 'x', facts.length, seconds)
  head.set(facts, BLOCK_BYTES)
  writeHeader(head.subarray(BLOCK_BYTES + factsBytes), name, '0', sizeBytes, seconds)
  return head
}

/** What stands behind the bytes of a file. */
export function tarPad(sizeBytes: number): Uint8Array {
  return new Uint8Array((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES)
}

/** Its length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const restBytes = new TextEncoder().encode(rest).length
  let bytes = restBytes + 1
  while (restBytes + String(bytes).length !== bytes) bytes = restBytes + String(bytes).length
  return bytes + rest
}

function writeHeader(
  into: Uint8Array,
  name: string,
  type: '0' | 'x',
  sizeBytes: number,
  seconds: number,
): void {
  const put = (text: string, at: number, bytes: number) =>
    into.set(new TextEncoder().encode(text).subarray(0, bytes), at)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  put(name, 0, NAME_BYTES)
  put(octal(MODE, 7), 100, 8)
  put(octal(0, 7), 108, 8)
  put(octal(0, 7), 116, 8)
  put(octal(sizeBytes, 11), 124, 12)
  put(octal(seconds, 11), 136, 12)
  // The sum is made as if its own place were blank.
  put(' '.repeat(8), 148, 8)
  put(type, 156, 1)
  put('ustar\x0000', 257, 8)
  const sum = into.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 8)
}
