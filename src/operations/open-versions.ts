// The versions of a server, for itself and for the command line.
import type { Config } from '../config/config.ts'
import type { Volume } from '../files/volume/volume.ts'
import { createStoreList } from '../keep/store-list.ts'
import { realPathsOf } from '../keep/version-places.ts'
import { createVersions, type Versions } from '../keep/versions.ts'
import type { Logger } from '../lib/log.ts'

interface VersionsHost {
  config: Config
  database: string
  log: Pick<Logger, 'warn'>
}

/** Touches nothing before it is used. */
export function openVersions({ config, database, log }: VersionsHost, volume: Volume): Versions {
  const tops = realPathsOf(volume, [config.root, ...Object.values(config.roots)])
  const stores = createStoreList(
    `${database}.versions`,
    async (folder) => (await tops()).includes(folder) || volume.isMountPoint(folder) === true,
  )
  return createVersions({ volume, tops, stores, isOn: () => config.versions, log })
}
