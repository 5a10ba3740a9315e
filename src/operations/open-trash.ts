// The trash of a server, for itself and for the command line.
import type { Config } from '../config/config.ts'
import type { Volume } from '../files/volume/volume.ts'
import { createStoreList } from '../keep/store-list.ts'
import { createTrash, type Trash } from '../keep/trash.ts'
import type { Logger } from '../lib/log.ts'

interface TrashHost {
  config: Config
  database: string
  log: Pick<Logger, 'warn'>
}

/** Touches nothing before it is used. */
export function openTrash({ config, database, log }: TrashHost, volume: Volume): Trash {
  const tops = () => realTops(config, volume)
  const isExpected = async (folder: string) =>
    (await tops()).includes(folder) || volume.isMountPoint(folder) === true
  const stores = createStoreList(`${database}.trashes`, isExpected)
  return createTrash({ volume, tops, stores, log })
}

/** Real paths of the served folders that are there. */
async function realTops({ root, roots }: Config, volume: Volume): Promise<string[]> {
  const paths = [root, ...Object.values(roots)]
  const found = await Promise.all(paths.map((path) => volume.realpath(path).catch(() => null)))
  return found.filter((path) => path !== null)
}
