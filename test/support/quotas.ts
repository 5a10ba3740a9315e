// A tree with limited folders, and the sum that says what they hold.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Scope } from '../../src/files/place/scope.ts'
import { createDiskVolume } from '../../src/files/volume/disk-volume.ts'
import { createTempRegistry, type TempRegistry } from '../../src/files/volume/temp-registry.ts'
import type { Volume } from '../../src/files/volume/volume.ts'
import type { Logger } from '../../src/lib/log.ts'
import { countedVolume } from '../../src/quotas/counted-volume.ts'
import { createQuotas, type Quotas } from '../../src/quotas/quotas.ts'
import { DISKS, scopeOf } from './scope.ts'
import { makeTree, type Tree, type TreeContent } from './tree.ts'

const SILENT: Logger = { info() {}, warn() {}, error() {}, request() {} }

/** Bytes by the name of a folder; `.` is all of the tree. */
type Limits = Record<string, number>

export interface LimitedTree extends AsyncDisposable {
  tree: Tree
  scope: Scope
  volume: Volume
  temps: TempRegistry
  quotas: Quotas
  /** What is limited from now on. */
  limit(limits: Limits): void
  /** What the counter of a folder says, once it has been counted. */
  used(folder: string): Promise<number>
  reserved(folder: string): number
  close(): Promise<void>
}

/** Opens a tree with limits; `wrap` puts another disk under them. */
export async function limitedTree(
  content: TreeContent,
  limits: Limits,
  { tree, wrap = (volume) => volume }: { tree?: Tree; wrap?: (volume: Volume) => Volume } = {},
): Promise<LimitedTree> {
  const own = tree ?? (await makeTree(content))
  const database = join(own.base, 'filebrowser.db')
  const temps = createTempRegistry(DISKS, `${database}.uploads`, 60 * 60_000, (path) =>
    quotas.forgetUpload(path),
  )
  const disk = wrap(createDiskVolume(DISKS, temps))
  let present = limits
  let tell = () => {}
  const quotas = createQuotas({
    volume: disk,
    temps,
    database,
    limits: () =>
      Object.entries(present).map(([name, bytes]) => ({ folder: join(own.root, name), bytes })),
    subscribe: (listener) => {
      tell = listener
      return () => {}
    },
    log: SILENT,
  })
  const volume = countedVolume(disk, quotas)
  const counterOf = async (name: string) => {
    await quotas.ready(join(own.root, name, 'x'))
    return quotas.ledger.above(join(own.root, name, 'x')).at(-1)
  }
  const close = async () => {
    await quotas.close()
    await temps.close()
  }
  return {
    tree: own,
    scope: scopeOf(own, { volume }),
    volume,
    temps,
    quotas,
    limit: (next) => {
      present = next
      tell()
    },
    used: async (name) => (await counterOf(name))?.usedBytes ?? -1,
    reserved: (name) => quotas.ledger.above(join(own.root, name, 'x')).at(-1)?.reservedBytes ?? -1,
    close,
    async [Symbol.asyncDispose]() {
      await close()
      if (!tree) await own[Symbol.asyncDispose]()
    },
  }
}

/** Sizes of all names of regular files below a host folder, temporary ones left out. */
export function sumOf(folder: string): number {
  const args = [folder, '-type', 'f', '!', '-name', '.fb-tmp-*', '-printf', '%s\\n']
  return execFileSync('find', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0)
}
