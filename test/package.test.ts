import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../scripts/build/paths.ts'
import { formatOf } from '../scripts/package/binary-format.ts'
import { V8_FLAGS } from '../scripts/package/code-cache.ts'
import { signAdHoc } from '../scripts/package/macho-sign.ts'
import {
  checkInside,
  checkNothingOf,
  checkParts,
  nativePartsOf,
} from '../scripts/package/native-parts.ts'
import { PAPERS } from '../scripts/package/papers.ts'
import { TARGETS, type Target } from '../scripts/package/targets.ts'
import { makeTree } from './support/tree.ts'

/** The smallest thing that looks like a 64-bit Mach-O executable: two segments and some bytes. */
function machO(contentBytes: number): Buffer {
  const file = Buffer.alloc(0x1000 + contentBytes)
  file.writeUInt32LE(0xfeedfacf, 0)
  file.writeUInt32LE(0x0100000c, 4)
  file.writeUInt32LE(2, 16)
  file.writeUInt32LE(144, 20)
  const segment = (at: number, name: string, offset: number, bytes: number): void => {
    file.writeUInt32LE(0x19, at)
    file.writeUInt32LE(72, at + 4)
    file.write(name, at + 8, 'latin1')
    file.writeBigUInt64LE(BigInt(offset), at + 40)
    file.writeBigUInt64LE(BigInt(bytes), at + 48)
  }
  segment(32, '__TEXT', 0, 0x1000)
  segment(104, '__LINKEDIT', 0x1000, contentBytes)
  file.fill(7, 0x1000)
  return file
}

describe('the signature of a macOS executable', () => {
  it('covers every page with its digest', () => {
    const signed = signAdHoc(machO(10_001), 'filebrowser')
    const command = 32 + 144
    expect(signed.readUInt32LE(command)).toBe(0x1d)
    const codeBytes = signed.readUInt32LE(command + 8)
    expect(codeBytes + signed.readUInt32LE(command + 12)).toBe(signed.length)
    const directory = signed.subarray(codeBytes + 20)
    expect(directory.readUInt32BE(0)).toBe(0xfade0c02)
    expect(directory.readUInt32BE(32)).toBe(codeBytes)
    const pages = directory.readUInt32BE(28)
    expect(pages).toBe(Math.ceil(codeBytes / 4096))
    const hashesAt = directory.readUInt32BE(16)
    for (let page = 0; page < pages; page++) {
      const bytes = signed.subarray(page * 4096, Math.min((page + 1) * 4096, codeBytes))
      const at = hashesAt + page * 32
      const expected = createHash('sha256').update(bytes).digest('hex')
      expect(directory.subarray(at, at + 32).toString('hex')).toBe(expected)
    }
  })

  it('lies inside of the last segment', () => {
    const signed = signAdHoc(machO(10_000), 'filebrowser')
    const offset = signed.readBigUInt64LE(104 + 40)
    expect(Number(offset + signed.readBigUInt64LE(104 + 48))).toBe(signed.length)
    expect(signed.readBigUInt64LE(104 + 32) % 0x4000n).toBe(0n)
  })

  it('is not put on twice', () => {
    const signed = signAdHoc(machO(100), 'filebrowser')
    expect(() => signAdHoc(signed, 'filebrowser')).toThrow('signed already')
  })
})

it('knows the platform of a native file by its header', () => {
  expect(formatOf(machO(100))).toBe('darwin-arm64')
  const elf = Buffer.alloc(64)
  elf.write('\x7fELF', 'latin1')
  elf.writeUInt16LE(62, 18)
  expect(formatOf(elf)).toBe('linux-x64')
  expect(formatOf(Buffer.from('#!/bin/sh\n'.padEnd(64)))).toBeNull()
})

/** As the packages of a release lay them out. */
const LINUX_ARM64 = [
  '@hyzyla/pdfium/dist/pdfium.wasm',
  '@img/sharp-libvips-linux-arm64/lib/libvips-cpp.so.8.18.7',
  '@img/sharp-linux-arm64/lib/sharp-linux-arm64-0.35.5.node',
  '@napi-rs/snappy-linux-arm64-gnu/snappy.linux-arm64-gnu.node',
  '@node-rs/argon2-linux-arm64-gnu/argon2.linux-arm64-gnu.node',
  'bcrypt/prebuilds/linux-arm64/bcrypt.glibc.node',
  'bzip2-wasm/bzip2-1.0.8/bzip2.wasm',
  'libheif-js/libheif-wasm/libheif.wasm',
]

describe('the native parts of an executable', () => {
  const target = (name: string) => TARGETS.find((one) => one.name === name) as Target

  it('are complete for every platform: pictures, PDF, passwords, archives', () => {
    for (const one of TARGETS) {
      const parts = nativePartsOf(one).join(' ')
      for (const name of [
        'sharp',
        'libvips',
        'pdfium',
        'libheif',
        'argon2',
        'bcrypt',
        'snappy',
        'bzip2',
      ])
        expect(parts, one.name).toContain(name)
      // Its file for this one platform is for another processor.
      expect(parts.includes('lzma'), one.name).toBe(one.name !== 'linux-arm64')
    }
  })

  it('are accepted as the packages have them, whatever their version', () => {
    checkParts(target('linux-arm64'), LINUX_ARM64)
    const newer = LINUX_ARM64.map((path) => path.replace('0.35.5', '0.40.12'))
    checkParts(target('linux-arm64'), newer)
  })

  it.each(LINUX_ARM64)('stop the packaging when one is missing: %s', (missing) => {
    const rest = LINUX_ARM64.filter((path) => path !== missing)
    const folder = missing.split('/').slice(0, 2).join('/').replace('1.0.8', '*')
    expect(() => checkParts(target('linux-arm64'), rest)).toThrow(
      `the executable for linux-arm64 would lack ${folder}`,
    )
  })

  it('stop it when there is one that nobody listed', () => {
    expect(() => checkParts(target('linux-arm64'), [...LINUX_ARM64, 'new/new.node'])).toThrow(
      'new/new.node: not listed for linux-arm64',
    )
  })

  it('are looked for in the finished file, byte by byte', async () => {
    await using tree = await makeTree({ 'a/one.node': 'first part', 'a/two.zst': 'second part' })
    await tree.add({ whole: '...first part...second part...', damaged: '...first part...second p' })
    const check = (name: string) =>
      checkInside(tree.at(name), [tree.at('a/one.node'), tree.at('a/two.zst')])
    await check('whole')
    await expect(check('damaged')).rejects.toThrow(/damaged lacks .*a\/two\.zst$/)
  })

  it('of the machine that packages stay out of what is for others', async () => {
    const part = 'bcrypt/prebuilds/linux-arm64/bcrypt.glibc.node'
    await using tree = await makeTree({ [part]: 'made for arm64', 'other/one.node': 'for all' })
    await tree.add({ 'staged/clean.node': 'for all', 'staged/mixed.node': 'made for arm64' })
    const own = { modules: tree.root, paths: [part, 'other/one.node'] }
    const check = (...paths: string[]) =>
      checkNothingOf(target('linux-arm64'), { modules: tree.at('staged'), paths }, own)
    await check('clean.node')
    await expect(check('clean.node', 'mixed.node')).rejects.toThrow(
      `mixed.node is ${part}, which is for linux-arm64`,
    )
  })
})

describe('the flags for V8', () => {
  it('let it take what Node has compiled of its own modules', () => {
    const print = "new (require('node:vm').Script)('0').createCachedData().toString('hex', 12, 16)"
    const flagsInCode = (flags: string[]) =>
      execFileSync(process.execPath, [...flags, '--print', print]).toString()
    expect(flagsInCode(V8_FLAGS)).toBe(flagsInCode([]))
    // What this compares tells flags apart.
    expect(flagsInCode(['--heap-growing-percent=100'])).not.toBe(flagsInCode([]))
  })
})

describe('papers in a release archive', () => {
  it('are there, and link to nothing that is left out', () => {
    const links = PAPERS.filter((name) => name.endsWith('.md')).flatMap((name) =>
      [...readFileSync(join(ROOT, name), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
        ([, to]) => normalize(join(dirname(name), to ?? '')),
      ),
    )
    expect(links.length).toBeGreaterThan(10)
    const within = (to: string) => PAPERS.some((name) => name === to || name.startsWith(`${to}/`))
    expect(links.filter((to) => !within(to))).toEqual([])
    expect(PAPERS.filter((name) => !existsSync(join(ROOT, name)))).toEqual([])
  })
})
