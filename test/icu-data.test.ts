// What is taken out of the Node binary of the executable changes nothing but what it is meant to.
import { execFile, execFileSync } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cutOut, loadedBytes } from '../scripts/package/elf-gap.ts'
import { icuItems, isNeeded, trimIcuData } from '../scripts/package/icu-data.ts'
import { makeTree } from './support/tree.ts'

const run = promisify(execFile)

/** Encodings, normal forms, cases, zones and breaks of the runtime that executes it, as digests. */
const FACTS = `
const { createHash } = require('node:crypto')
const digest = (text) => createHash('sha256').update(text).digest('hex')
const pairs = Buffer.alloc(2 * 65536)
for (let i = 0; i < 65536; i++) pairs.writeUInt16BE(i, 2 * i)
const all = Array.from({ length: 0x110000 }, (_, i) => String.fromCodePoint(i)).join('')
const encodings = 'ibm866 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-10 ' +
  'iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh windows-874 windows-1250 windows-1253 ' +
  'windows-1254 windows-1255 windows-1256 windows-1257 ' +
  'windows-1251 windows-1252 windows-1258 x-mac-cyrillic gbk gb18030 big5 euc-jp iso-2022-jp shift_jis euc-kr'
const facts = {}
for (const name of encodings.split(' ')) facts[name] = digest(new TextDecoder(name).decode(pairs))
for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) facts[form] = digest(all.normalize(form))
facts.cases = digest(all.toLowerCase() + all.toUpperCase())
facts.ignorable = all.match(/\\p{Default_Ignorable_Code_Point}/gu).length
process.env.TZ = 'America/Santiago'
facts.zone = new Date(1e12).toString() + new Date(1.01e12).getTimezoneOffset()
facts.sorted = ['z', '10', '9', 'Ä', 'a'].sort(new Intl.Collator('en', { numeric: true }).compare)
facts.time = new Intl.DateTimeFormat('en', { dateStyle: 'full' }).format(0)
facts.segments = [...new Intl.Segmenter('en', { granularity: 'word' }).segment('one two')].length
facts.host = new URL('http://b\\u00fccher.example/').host
console.log(JSON.stringify(facts))
`

describe.runIf(process.platform === 'linux')('the Node of the executable', () => {
  it('knows what it did but for other locales than English, in 20 MB less', async () => {
    await using tree = await makeTree({})
    const stripped = tree.at('stripped')
    execFileSync('strip', ['--strip-unneeded', '-o', stripped, process.execPath])
    const whole = await readFile(stripped)
    const trimmed = trimIcuData(whole)
    expect(whole.length - trimmed.length).toBeGreaterThan(20e6)
    const small = tree.at('small')
    await writeFile(small, trimmed)
    await chmod(small, 0o755)
    const env = { LANG: 'en_US.UTF-8' }
    const [before, after] = await Promise.all(
      [stripped, small].map(async (node) => (await run(node, ['-e', FACTS], { env })).stdout),
    )
    expect(JSON.parse(after ?? '')).toEqual(JSON.parse(before ?? ''))

    // Whatever is not ICU's stays at its address.
    for (const { address, bytes } of loadedBytes(whole)) {
      const behind = loadedBytes(trimmed).findLast((one) => one.address < address + bytes.length)
      // What is not a whole page of what was cut out is empty.
      const begin = bytes.includes('CmnD')
        ? (behind?.address ?? 0) + 0x10000
        : // The table of segments is at the begin of the file.
          address + (bytes.readUInt32BE(0) === 0x7f454c46 ? 4096 : 0)
      const part = loadedBytes(trimmed).findLast((one) => one.address <= begin)
      if (!part) throw new Error('nothing is left')
      const expected = bytes.subarray(begin - address)
      const found = part.bytes.subarray(
        begin - part.address,
        begin - part.address + expected.length,
      )
      expect(found.equals(expected)).toBe(true)
    }
    expect(icuItems(trimmed)).toEqual(icuItems(whole).filter(isNeeded))
  }, 120_000)
})

describe('data of ICU', () => {
  it.each([
    ['icudt78l/de.res', false],
    ['icudt78l/curr/zh_Hant_TW.res', false],
    ['icudt78l/brkitr/thaidict.dict', false],
    ['icudt78l/translit/root.res', false],
    ['icudt78l/unames.icu', false],
    ['icudt78l/ibm-1390_P110-2003.cnv', false],
    ['icudt78l/en.res', true],
    ['icudt78l/root.res', true],
    ['icudt78l/pool.res', true],
    ['icudt78l/zoneinfo64.res', true],
    ['icudt78l/supplementalData.res', true],
    ['icudt78l/ibm-943_P15A-2003.cnv', true],
    ['icudt78l/nfkc.nrm', true],
    ['icudt78l/brkitr/word.brk', true],
  ])('%s stays: %s', (name, stays) => {
    expect(isNeeded(name)).toBe(stays)
  })

  it('is not cut out where the table of segments is full', () => {
    const file = Buffer.alloc(0x40000)
    file.writeUInt32BE(0x7f454c46, 0)
    file[4] = 2
    file[5] = 1
    // One segment, of all bytes, that is loaded.
    file.writeBigUInt64LE(64n, 32)
    file.writeUInt16LE(1, 56)
    file.writeUInt32LE(1, 64)
    file.writeBigUInt64LE(0x40000n, 64 + 32)
    file.writeBigUInt64LE(0x40000n, 64 + 40)
    file.writeBigUInt64LE(0x1000n, 64 + 48)
    expect(cutOut(file, 0x10000, 0x20000)).toBe(file)
  })

  it('is not cut out of what is no program, or has none', () => {
    expect(() => cutOut(Buffer.alloc(4096), 0, 4096)).toThrow('no 64-bit ELF file')
    expect(() => trimIcuData(Buffer.alloc(4096))).toThrow('no data of ICU')
  })
})
