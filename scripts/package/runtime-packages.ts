// The packages left out of the server bundle, with everything they need on one platform and nothing
// else: no sources, no types, no parts for other platforms.
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { ROOT } from '../build/paths.ts'
import { EXTERNAL } from '../build/server.ts'
import { packageFolder } from './npm-pack.ts'
import type { Target } from './targets.ts'

interface Manifest {
  name: string
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  os?: string[]
  cpu?: string[]
  libc?: string[]
}

/** Build-time dependencies that packages list as if they were needed to run. */
const NEVER = new Set(['node-addon-api', 'napi-build-utils', 'detect-libc-binary'])

/**
 * Copies the packages into `modules` (a node_modules folder). Gives for each that the server asks for the
 * folders below it that it needs, its own included.
 */
export async function copyRuntimePackages(
  modules: string,
  target: Target,
): Promise<Record<string, string[]>> {
  const copied = new Set<string>()
  const folders: Record<string, string[]> = {}
  let needed: string[] = []
  const take = async (name: string, folder: string, into: string): Promise<void> => {
    const manifest = readManifest(folder)
    const place = relative(modules, join(into, name)).replaceAll('\\', '/')
    if (needed.includes(place) || NEVER.has(name)) return
    needed.push(place)
    if (!copied.has(place)) await copyPackage(folder, join(into, name), target)
    copied.add(place)
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      if (manifest.optionalDependencies?.[dependency] || NEVER.has(dependency)) continue
      const found = findInstalled(dependency, folder)
      const nested = found.startsWith(join(folder, 'node_modules'))
      await take(dependency, found, nested ? join(into, name, 'node_modules') : modules)
    }
    for (const [part, version] of Object.entries(manifest.optionalDependencies ?? {})) {
      if (!fitsByName(part, target)) continue
      const partFolder = await packageFolder(part, version)
      if (fits(readManifest(partFolder), target)) await take(part, partFolder, modules)
    }
  }
  for (const name of EXTERNAL) {
    const folder = join(ROOT, 'node_modules', name)
    // The list in server.ts may name a package that is not used any more.
    if (!existsSync(folder)) continue
    needed = []
    folders[name] = needed
    await take(name, folder, modules)
    needed.sort()
  }
  return folders
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** Node's own search: node_modules of the package, then of its parents. */
function findInstalled(name: string, from: string): string {
  for (let folder = from; folder.startsWith(ROOT); folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name)
    if (existsSync(join(place, 'package.json'))) return place
  }
  return join(ROOT, 'node_modules', name)
}

/** Cheap test before a package is fetched; `fits` decides by its manifest. */
function fitsByName(name: string, target: Target): boolean {
  if (/musl|wasm|freebsd|android|openharmony/.test(name)) return false
  const os = target.os === 'win32' ? /win32/ : new RegExp(target.os)
  return os.test(name) && new RegExp(`-${target.cpu}(-|$)`).test(name)
}

function fits(manifest: Manifest, target: Target): boolean {
  return (
    (manifest.os?.includes(target.os) ?? true) &&
    (manifest.cpu?.includes(target.cpu) ?? true) &&
    (manifest.libc?.includes('glibc') ?? true)
  )
}

/** Packages that come in many builds: the files of the one that the server loads. */
const ONLY: Record<string, RegExp> = {
  '@hyzyla/pdfium':
    /^(package\.json|LICENSE.*|dist|dist\/(index\.cjs|pdfium\.wasm|vendor.*|chunks.*))$/,
  'libheif-js': /^(package\.json|LICENSE.*|libheif-wasm|libheif-wasm\/libheif\.(js|wasm))$/,
}

const RUNS = /\.(c?js|json|node|wasm|dylib|dll)$|\.so(\.[\d.]+)?$|^licen[cs]e/i
const SKIPPED_FOLDERS =
  /^(deps|test|tests|docs?|example|examples|benchmark|install|src|bin|\.github)$/

async function copyPackage(from: string, to: string, target: Target): Promise<void> {
  await mkdir(to, { recursive: true })
  const only = ONLY[relative(join(ROOT, 'node_modules'), from).replaceAll('\\', '/')]
  const prebuilds = `${target.os}-${target.cpu}`
  await cp(from, to, {
    recursive: true,
    dereference: true,
    filter: (source) => {
      const inside = relative(from, source)
      if (inside === '') return true
      const parts = inside.split(/[\\/]/)
      if (parts.includes('node_modules')) return false
      if (only && !only.test(parts.join('/'))) return false
      if (parts[0] === 'prebuilds' && parts[1] && parts[1] !== prebuilds) return false
      if (/(\.musl|electron\.napi)\.node$/.test(source)) return false
      // Folders pass, unless nothing in them runs; files pass by their kind.
      if (!/\.[a-z][^./\\]*$/i.test(inside) && !/licen[cs]e/i.test(basename(inside))) {
        return !SKIPPED_FOLDERS.test(basename(inside))
      }
      return RUNS.test(basename(inside))
    },
  })
}
