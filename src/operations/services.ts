// The services behind the operations, made once for the server; see http/deps.ts.
import type { TreeServices } from '../access/user-tree.ts'
import { keepPolicyOf } from '../config/keep-policy.ts'
import { createArchiveWriter, type WriteArchive } from '../files/archive/archive.ts'
import { createCaselessDisks } from '../files/caseless/caseless-disks.ts'
import { createDisks } from '../files/disks/disks.ts'
import { createRoots } from '../files/place/roots.ts'
import type { Previews } from '../files/preview/previews.ts'
import { type Checksum, createChecksum } from '../files/transfer/checksum.ts'
import { type Collections, createCollections } from '../files/transfer/parts-file.ts'
import { createResumables, type Resumables } from '../files/transfer/resumable.ts'
import { createSharedUploads } from '../files/transfer/shared-uploads.ts'
import { createDiskVolume } from '../files/volume/disk-volume.ts'
import { createTempRegistry, type TempRegistry } from '../files/volume/temp-registry.ts'
import { createHistory, type History } from '../history/history.ts'
import { type HistoryFiles, historyFilesOf } from '../history/history-files.ts'
import { createHooks, type HookServices, type Hooks } from '../hooks/hooks.ts'
import { freeingVolume } from '../keep/freeing-volume.ts'
import { createKeeping, type Keeping } from '../keep/keeping.ts'
import { folderOfKept } from '../keep/stores.ts'
import type { Trash } from '../keep/trash.ts'
import { versionedVolume } from '../keep/versioned-volume.ts'
import type { Versions } from '../keep/versions.ts'
import { createGate, type Gate } from '../lib/gate.ts'
import { createThreads, type Threads } from '../programs/threads.ts'
import { countedVolume } from '../quotas/counted-volume.ts'
import { affectsLimits, limitsOf } from '../quotas/limits.ts'
import { createQuotas, type Quotas } from '../quotas/quotas.ts'
import { createDavLocks, type DavLocks } from '../store/dav/locks.ts'
import { createProperties, createPropertyFile, type Properties } from '../store/dav/properties.ts'
import { createSharedDavLocks } from '../store/dav/shared-locks.ts'
import { createSharedProperties } from '../store/dav/shared-properties.ts'
import { openTrash, openVersions } from './open-kept.ts'
import { createSaves, type Saves } from './saves.ts'
import { createSharedParts, type SharedParts } from './uploads/shared-parts.ts'
import { admitShared, admitUpload } from './uploads/unfinished.ts'

/** Each takes up to half a gigabyte. */
const MAX_DECODERS = 2

export interface Services extends TreeServices, ServiceBase {
  temps: TempRegistry
  resumables: Resumables
  /** Held by host path while a finished file is moved into place, or an entry is renamed. */
  saves: Saves
  hooks: Hooks
  /** What folders may hold; `volume` asks and tells it. */
  quotas: Quotas
  /** Who changed what, and how it is undone. */
  history: History
  historyFiles: HistoryFiles
  /** What was deleted; touches nothing before it is used. */
  trash: Trash
  /** How long what was deleted is kept, and what it takes. */
  keeping: Keeping
  /** The old content of files that were replaced; `volume` tells it. */
  versions: Versions
  writeArchive: WriteArchive
  /** What clients of WebDAV have noted; touches nothing before it is used. */
  properties: Properties
  /** What clients of WebDAV have locked; touches nothing before it is used. */
  davLocks: DavLocks
  /** Lets a few archives be unpacked at a time. */
  inDecoderTurn: Gate
  /** Files that come in parts. */
  collections: Collections
  /** What all nodes know of them; null where one process has them to itself. */
  sharedParts: SharedParts | null
  checksum: Checksum
  threads: Threads
}

interface ServiceBase extends HookServices {
  foldCase: boolean
  /** Names of the roots on disks that ignore case. */
  foldingRoots?: ReadonlySet<string>
  previews: Pick<Previews, 'edit' | 'forget' | 'mayHoldAny'>
}

/** `properties`, `davLocks`, `hooks`, `quotas`, `history`, `keeping`, `versions`, `temps` and `threads` are to be closed. */
export function createServices(base: ServiceBase): Services {
  const { config, store, foldCase, log } = base
  const disks = createDisks()
  const temps = createTempRegistry(disks, `${store.file}.uploads`, config.tusExpiryMs, (path) =>
    quotas.forgetUpload(path),
  )
  const threads = createThreads()
  const disk = createDiskVolume(disks, temps, threads)
  const quotas = createQuotas({
    volume: disk,
    temps,
    database: store.file,
    limits: () =>
      store.shared ? store.read((records) => limitsOf(config, records)) : limitsOf(config, store),
    subscribe: (listener) =>
      store.subscribe((changes) => {
        if (affectsLimits(changes)) listener()
      }),
    log,
  })
  const freeing = freeingVolume(disk, (realDir, bytes) =>
    keeping.retention.makeRoom(realDir, bytes),
  )
  const versions = openVersions({ config, database: store.file, log }, freeing)
  const volume = countedVolume(versionedVolume(freeing, versions), quotas)
  const policy = () => keepPolicyOf(config, store.settings())
  const historyFiles = historyFilesOf(store.file, {
    ageMs: () => policy().ageMs,
    onError: (error) => log.error(`the history cannot be written: ${(error as Error).message}`),
  })
  const properties = createProperties(
    store.shared
      ? createSharedProperties(store)
      : createPropertyFile(store.file, log, folderOfKept),
  )
  const trash = openTrash({ config, database: store.file, log }, volume, properties)
  const keeping = createKeeping({ volume: disk, trash, versions, policy, log })
  const nodes = store.shared?.nodes
  const leases = nodes?.leases
  const onRest = (path: string) => restOf(temps, quotas, path)
  const uploads = leases ? createSharedUploads(leases, onRest) : null
  const roots = createRoots(store, disks, config.roots, base.foldingRoots ?? new Set())
  return {
    ...base,
    trash,
    volume,
    versions,
    properties,
    davLocks: store.shared ? createSharedDavLocks(store) : createDavLocks(store.file, log),
    temps,
    resumables: createResumables(
      uploads ? admitShared(uploads) : (owner) => admitUpload(volume, temps, owner),
      uploads,
    ),
    saves: createSaves(leases),
    hooks: createHooks(base),
    quotas,
    history: createHistory(historyFiles, config.versions || config.trash !== 'off'),
    historyFiles,
    keeping,
    caselessDisks: createCaselessDisks(disks, config.root, foldCase),
    roots,
    writeArchive: createArchiveWriter(threads),
    inDecoderTurn: createGate(MAX_DECODERS),
    collections: createCollections(),
    sharedParts: nodes ? createSharedParts(nodes.leases, nodes.id, onRest) : null,
    checksum: createChecksum(threads),
    threads,
  }
}

// Whoever goes on with an upload asks for its room again; the leading node sweeps it. What is in the staging folder
// nobody else reaches.
function restOf(temps: TempRegistry, quotas: Quotas, path: string): void {
  if (path.startsWith(temps.stagingFolder)) return
  temps.forget(path)
  quotas.forgetUpload(path)
}
