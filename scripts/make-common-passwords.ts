// Writes src/auth/common-passwords.br from the "10-million-password-list-top-1000000.txt" of SecLists
// (MIT), given as a path: the 100,000 most frequent passwords, and all of 12 bytes or more, which is the
// shortest a password may be unless an administrator says otherwise. In lower case and in order of their
// code units, a line each, as src/auth/common-passwords.ts looks them up.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { ROOT } from './build/paths.ts'

const MOST_FREQUENT = 100_000
const LONG_BYTES = 12

const source = process.argv[2]
if (source === undefined) throw new Error('usage: make-common-passwords.ts LIST')
const lines = readFileSync(source, 'utf8').split('\n').filter(Boolean)
const kept = lines.filter((line, i) => i < MOST_FREQUENT || Buffer.byteLength(line) >= LONG_BYTES)
const text = [...new Set(kept.map((line) => line.toLowerCase()))].sort().join('\n')
const bytes = brotliCompressSync(text, {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  },
})
writeFileSync(join(ROOT, 'src', 'auth', 'common-passwords.br'), bytes)
process.stdout.write(`${text.split('\n').length} passwords, ${bytes.length} bytes\n`)
