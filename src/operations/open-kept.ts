// The trash and the versions of a server, for itself and for the command line.
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Volume } from '../files/volume/volume.ts'
import { type Bases, realPathsOf } from '../keep/bases.ts'
import { createStoreList } from '../keep/store-list.ts'
import { createTrash, type Following, type Trash } from '../keep/trash.ts'
import { createVersions, type Versions } from '../keep/versions.ts'
import type { Logger } from '../lib/log.ts'

interface Host {
  config: Config
  database: string
  log: Pick<Logger, 'warn'>
}

/** Touches nothing before it is used. */
export function openTrash(host: Host, volume: Volume, following?: Following): Trash {
  return createTrash({ ...basesFrom(host, volume, 'trashes'), following, log: host.log })
}

/** Touches nothing before it is used. */
export function openVersions(host: Host, volume: Volume): Versions {
  const { config, log } = host
  const isOn = () => config.versions
  const spare = `${resolve(host.database)}.replaced`
  return createVersions({ ...basesFrom(host, volume, 'versions'), spare, isOn, log })
}

/** `suffix` is of the file beside the database that lists folders. */
function basesFrom({ config, database }: Host, volume: Volume, suffix: string): Bases {
  const tops = realPathsOf(volume, [config.root, ...Object.values(config.roots)])
  const isExpected = async (folder: string) =>
    (await tops()).includes(folder) || volume.isMountPoint(folder) === true
  return { volume, tops, stores: createStoreList(`${database}.${suffix}`, isExpected) }
}
