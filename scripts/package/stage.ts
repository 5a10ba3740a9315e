// Lays out what goes into the executable of one platform: server bundle, interface, native packages.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { NativeFile } from '../../src/native-cache.ts'
import { OUT_DIR, PACKAGE } from '../build/paths.ts'
import { fileFormat } from './binary-format.ts'
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
  await writeFile(join(folder, 'package.json'), JSON.stringify(packagingManifest(folder), null, 2))
  return folder
}

/** Files with compressed siblings travel in those two encodings only. */
async function copyWeb(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    filter: (source) => !existsSync(`${source}.gz`) || !existsSync(`${source}.br`),
  })
}

const NATIVE = /\.(node|dylib|dll)$|\.so(\.[\d.]+)?$/

/**
 * lzma-native 8.0.6 carries a file for another processor under this name. The server then stores
 * .tar.xz archives instead of compressing them (src/files/archive-formats.ts).
 */
const KNOWN_WRONG = ['linux-arm64:lzma-native/prebuilds/linux-arm64/node.napi.node']

/** Every native file must be for the platform; the known exception is left out. */
async function checkNative(modules: string, target: Target): Promise<void> {
  for (const file of nativeFiles(modules)) {
    const format = await fileFormat(file)
    if (format === `${target.os}-${target.cpu}`) continue
    const path = relative(modules, file).replaceAll('\\', '/')
    if (!KNOWN_WRONG.includes(`${target.name}:${path}`)) {
      throw new Error(`${path} in the executable for ${target.name} is for ${format}`)
    }
    await rm(file)
  }
}

/** What `src/native-cache.ts` unpacks at run time, with digests to recognise each by. */
async function describeNative(modules: string): Promise<NativeFile[]> {
  return Promise.all(
    nativeFiles(modules).map(async (file) => {
      const bytes = await readFile(file)
      return {
        path: relative(modules, file).replaceAll('\\', '/'),
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }
    }),
  )
}

function nativeFiles(modules: string): string[] {
  return readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && NATIVE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function packagingManifest(folder: string): Record<string, unknown> {
  return {
    name: PACKAGE.name,
    version: PACKAGE.version,
    bin: 'server/boot.cjs',
    pkg: {
      scripts: ['server/*.cjs'],
      assets: ['web/**/*', 'native.json', 'node_modules/**/*'],
      outputPath: folder,
    },
  }
}
