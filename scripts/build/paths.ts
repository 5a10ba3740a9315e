// Where the build reads and writes.
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
export const OUT_DIR = resolve(ROOT, process.env.OUT_DIR || 'dist')
export const CACHE_DIR = join(ROOT, 'node_modules', '.cache', 'filebrowser')

interface PackageJson {
  name: string
  version: string
  license: string
  description: string
  optionalDependencies: Record<string, string>
}

export const PACKAGE = createRequire(import.meta.url)(join(ROOT, 'package.json')) as PackageJson
