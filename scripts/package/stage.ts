// Lays out what goes into the executable of one platform: server bundle, interface, native packages.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { NativeFile } from '../../src/native-cache.ts'
import { OUT_DIR, PACKAGE } from '../build/paths.ts'
import { fileFormat } from './binary-format.ts'
import { checkParts, isKnownWrong } from './native-parts.ts'
import { copyRuntimePackages } from './runtime-packages.ts'
import type { Target } from './targets.ts'

/** Makes `dist/stage/<target>` and gives its path. */
export async function stage(target: Target): Promise<string> {
  const folder = join(OUT_DIR, 'stage', target.name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await cp(join(OUT_DIR, 'server'), join(folder, 'server'), { recursive: true })
  await copyWeb(join(OUT_DIR, 'web'), join(folder, 'web'))
  const modules = join(folder, 'node_modules')
  const packages = await copyRuntimePackages(modules, target)
  await checkNative(modules, target)
  await writeFile(join(folder, 'packages.json'), JSON.stringify(packages, null, 2))
  await writeFile(join(folder, 'native.json'), JSON.stringify(await describeNative(modules)))
  await writeFile(join(folder, 'package.json'), JSON.stringify(packagingManifest(target), null, 2))
  return folder
}

/** Files with compressed siblings travel in those two encodings only. */
async function copyWeb(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    filter: (source) => !existsSync(`${source}.gz`) || !existsSync(`${source}.br`),
  })
}

/** Compiled files below a node_modules folder, as `native-parts.ts` names them. */
export function compiledFiles(modules: string): string[] {
  return readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && COMPILED.test(entry.name))
    .map((entry) => relative(modules, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
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
async function describeNative(modules: string): Promise<NativeFile[]> {
  return Promise.all(
    nativeFiles(modules).map(async (path) => {
      const bytes = await readFile(join(modules, path))
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      return { path, sizeBytes: bytes.length, sha256 }
    }),
  )
}

function nativeFiles(modules: string): string[] {
  return compiledFiles(modules).filter((path) => !PORTABLE.test(path))
}

/** It goes into the executable, so it names no folder of this machine: two builds are the same bytes. */
function packagingManifest(target: Target): Record<string, unknown> {
  return {
    name: PACKAGE.name,
    version: PACKAGE.version,
    bin: 'server/boot.cjs',
    pkg: {
      scripts: ['server/*.cjs'],
      assets: [
        'server/*.br',
        'server/*.code',
        'server/*.wasm',
        'web/**/*',
        'native.json',
        'node_modules/**/*',
      ],
      // Packages ask for a compiled part of every platform, and one that is not staged would be found
      // further up: that of this machine.
      ignore: [`!**/stage/${target.name}/**`],
    },
  }
}
