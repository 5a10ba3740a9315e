// Lays out what goes into the executable of one platform: server bundle, interface, native packages.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { Module } from 'node:module'
import { basename, join, relative } from 'node:path'
import type { PackedFile, PackedPackages } from '../../src/native-cache.ts'
import { OUT_DIR } from '../build/paths.ts'
import { fileFormat } from './binary-format.ts'
import { checkParts, isKnownWrong } from './native-parts.ts'
import { copyRuntimePackages } from './runtime-packages.ts'
import type { Target } from './targets.ts'

/** Makes `dist/stage/<target>` and gives its path. */
export async function stage(target: Target): Promise<string> {
  const folder = join(OUT_DIR, 'stage', target.name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await copyServer(join(OUT_DIR, 'server'), join(folder, 'server'))
  await copyWeb(join(OUT_DIR, 'web'), join(folder, 'web'))
  const modules = join(folder, 'node_modules')
  const folders = await copyRuntimePackages(modules, target)
  await checkNative(modules, target)
  const packed: PackedPackages = { files: await describePackages(modules), folders }
  await writeFile(join(folder, 'packages.json'), JSON.stringify(packed))
  return folder
}

/** The server takes it from the page's files, src/files/extract/by-library.ts. */
const OF_THE_PAGE = 'libarchive.wasm'

/** What src/boot.ts loads travels as the function that Node makes of a module; boot.cjs itself is for Node to load. */
async function copyServer(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, filter: (source) => basename(source) !== OF_THE_PAGE })
  for (const name of filesBelow(to).filter((path) => /\.cjs$/.test(path) && path !== 'boot.cjs'))
    await writeFile(join(to, name), Module.wrap(await readFile(join(to, name), 'utf8')))
}

/** Files with a compressed sibling travel as that. */
async function copyWeb(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    filter: (source) => !existsSync(`${source}.br`),
  })
}

/** Compiled files below a node_modules folder, as `native-parts.ts` names them. */
export function compiledFiles(modules: string): string[] {
  return filesBelow(modules).filter((path) => COMPILED.test(path))
}

/** Paths of all files below a folder, with forward slashes, in order. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort()
}

const COMPILED = /\.(node|dylib|dll|wasm)$|\.so(\.[\d.]+)?$/
/** WebAssembly runs everywhere, and from inside of the executable. */
const PORTABLE = /\.wasm$/

/** All expected files must be there, and those for the system itself be made for it. */
async function checkNative(modules: string, target: Target): Promise<void> {
  for (const path of nativeFiles(modules)) {
    const file = join(modules, path)
    const format = await fileFormat(file)
    if (format === `${target.os}-${target.cpu}`) continue
    if (!isKnownWrong(path, target))
      throw new Error(`${path} in the executable for ${target.name} is for ${format}`)
    await rm(file)
  }
  checkParts(target, compiledFiles(modules))
}

/** What `src/native-cache.ts` unpacks at run time, with digests to recognise each by. */
async function describePackages(modules: string): Promise<PackedFile[]> {
  return Promise.all(
    filesBelow(modules).map(async (path) => {
      const bytes = await readFile(join(modules, path))
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      return { path, sizeBytes: bytes.length, sha256 }
    }),
  )
}

function nativeFiles(modules: string): string[] {
  return compiledFiles(modules).filter((path) => !PORTABLE.test(path))
}
