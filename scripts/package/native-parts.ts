// Which compiled files belong into the executable of a platform. Packages pick theirs at run time and
// most do without it in silence, so that only this list tells that one went missing.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Target } from './targets.ts'

/**
 * lzma-native 8.0.6 carries a file for another processor under this name. The server does not
 * offer .tar.xz archives there (src/files/archive/archive.ts).
 */
const WITHOUT_LZMA = ['linux-arm64']

/** Paths below node_modules with forward slashes; `*` stands for a version. */
export function nativePartsOf({ name, os, cpu }: Target): string[] {
  const plain = `${os}-${cpu}`
  // As napi-rs calls the platform.
  const triple = { linux: `${plain}-gnu`, darwin: plain, win32: `${plain}-msvc` }[os]
  const vips = {
    linux: [`@img/sharp-libvips-${plain}/lib/libvips-cpp.so.*`],
    darwin: [`@img/sharp-libvips-${plain}/lib/libvips-cpp.*.dylib`],
    win32: [`@img/sharp-${plain}/lib/libvips-42.dll`, `@img/sharp-${plain}/lib/libvips-cpp-*.dll`],
  }[os]
  const lzma = [
    `lzma-native/prebuilds/${plain}/node.napi.node`,
    ...(os === 'win32' ? [`lzma-native/prebuilds/${plain}/liblzma.dll`] : []),
  ]
  return [
    '@hyzyla/pdfium/dist/pdfium.wasm',
    `@img/sharp-${plain}/lib/sharp-${plain}-*.node`,
    ...vips,
    `@napi-rs/snappy-${triple}/snappy.${triple}.node`,
    `@node-rs/argon2-${triple}/argon2.${triple}.node`,
    `bcrypt/prebuilds/${plain}/bcrypt${os === 'linux' ? '.glibc' : ''}.node`,
    'bzip2-wasm/bzip2-*/bzip2.wasm',
    'libheif-js/libheif-wasm/libheif.wasm',
    ...(WITHOUT_LZMA.includes(name) ? [] : lzma),
  ]
}

/** Whether the file is there but must stay out, since it does not run on the platform. */
export function isKnownWrong(path: string, { name, os, cpu }: Target): boolean {
  return WITHOUT_LZMA.includes(name) && path === `lzma-native/prebuilds/${os}-${cpu}/node.napi.node`
}

/** Throws, with the names, when a part of the list is not among these files or one more is. */
export function checkParts(target: Target, paths: readonly string[]): void {
  const parts = nativePartsOf(target).map((part) => ({ part, pattern: toPattern(part) }))
  const missing = parts.filter(({ pattern }) => !paths.some((path) => pattern.test(path)))
  if (missing.length > 0) {
    const names = missing.map(({ part }) => part).join(', ')
    throw new Error(`the executable for ${target.name} would lack ${names}`)
  }
  const unknown = paths.filter((path) => !parts.some(({ pattern }) => pattern.test(path)))
  if (unknown.length > 0) {
    const names = unknown.join(', ')
    throw new Error(`${names}: not listed for ${target.name} in scripts/package/native-parts.ts`)
  }
}

/** Throws, with its name, when one of the files, as they were stored, is not in the executable. */
export async function checkInside(executable: string, stored: readonly string[]): Promise<void> {
  const bytes = await readFile(executable)
  for (const file of stored) {
    if (!bytes.includes(await readFile(file))) throw new Error(`${executable} lacks ${file}`)
  }
}

/**
 * Throws, with its name, when a part for the machine that packages is among the files for another platform.
 * Both are folders with their compiled files: what was staged, and the node_modules of this machine.
 */
export async function checkNothingOf(host: Target, staged: Parts, own: Parts): Promise<void> {
  const patterns = nativePartsOf(host)
    .filter((part) => !part.endsWith('.wasm'))
    .map(toPattern)
  const foreign = new Map<string, string>()
  for (const path of own.paths.filter((one) => patterns.some((pattern) => pattern.test(one))))
    foreign.set(await digestOf(own.modules, path), path)
  for (const path of staged.paths) {
    const same = foreign.get(await digestOf(staged.modules, path))
    if (same) throw new Error(`${path} is ${same}, which is for ${host.name}`)
  }
}

interface Parts {
  modules: string
  /** Below it, with forward slashes. */
  paths: readonly string[]
}

async function digestOf(modules: string, path: string): Promise<string> {
  const bytes = await readFile(join(modules, ...path.split('/')))
  return createHash('sha256').update(bytes).digest('hex')
}

function toPattern(part: string): RegExp {
  const text = part.replace(/[.+]/g, '\\$&').replaceAll('*', '[\\w.]+')
  return new RegExp(`^${text}$`)
}
