// Which packages have code inside the executable: those the bundles took something of, and those that
// travel beside them as they are.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { OUT_DIR, ROOT } from '../build/paths.ts'
import type { Target } from './targets.ts'

export interface BundledPackage {
  name: string
  version: string
  /** SPDX expression as the package's manifest has it; empty where it has none. */
  license: string
  /** Where it lies on this machine, for its licence text. */
  folder: string
  /** Its key in `packages` of package-lock.json. */
  lockKey: string
}

interface Manifest {
  name: string
  version: string
  license?: string
}

/**
 * The packages in the executable for `target`, sorted by name and version, after its build: by the
 * metafiles of the bundles and the folder that was staged.
 */
export function bundledPackages(target: Target): BundledPackage[] {
  const staged = join(OUT_DIR, 'stage', target.name)
  const found = new Map<string, BundledPackage>()
  for (const [folder, lockKey] of [...fromMetafiles(), ...fromStage(staged)]) {
    const {
      name,
      version,
      license = '',
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    found.set(`${name}@${version}`, { name, version, license, folder, lockKey })
  }
  const key = ({ name, version }: BundledPackage) => `${name} ${version}`
  return [...found.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

type Place = [folder: string, lockKey: string]

function fromMetafiles(): Place[] {
  const folders = new Set<string>()
  for (const name of ['server-metafile.json', 'web-metafile.json']) {
    const { inputs } = JSON.parse(readFileSync(join(OUT_DIR, name), 'utf8')) as {
      inputs: Record<string, unknown>
    }
    for (const input of Object.keys(inputs)) {
      const match = /^(?:[\w-]+:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(input)
      if (match?.[1]) folders.add(resolve(ROOT, match[1]))
    }
  }
  return [...folders].map((folder) => [folder, relative(ROOT, folder).replaceAll('\\', '/')])
}

function fromStage(staged: string): Place[] {
  return readdirSync(join(staged, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === 'package.json')
    .map((entry) => entry.parentPath)
    .filter((folder) => /node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+$/.test(folder))
    .map((folder) => [folder, relative(staged, folder).replaceAll('\\', '/')])
}
