// What is done with what is kept beside keeping and bringing back: sizes, how long it is kept, and what goes for good.
import type { KeepPolicy } from '../config/keep-policy.ts'
import type { Volume } from '../files/volume/volume.ts'
import type { Logger } from '../lib/log.ts'
import { createLeaving, type Leaving } from './leaving.ts'
import { createRetention, keptInTrash, type Retention } from './retention.ts'
import { createSizes, type Sizes } from './sizes.ts'
import type { Trash } from './trash.ts'
import type { Versions } from './versions.ts'

export interface Keeping {
  sizes: Sizes
  leaving: Leaving
  retention: Retention
  close(): Promise<void>
}

interface KeepingOptions {
  /** Without what asks for room here. */
  volume: Volume
  trash: Trash
  versions: Pick<Versions, 'kept'>
  policy: () => KeepPolicy
  log: Logger
}

/** Nothing is touched before the first call. */
export function createKeeping({ volume, trash, versions, policy, log }: KeepingOptions): Keeping {
  const sizes = createSizes(volume, trash)
  const leaving = createLeaving(trash, log)
  const retention = createRetention({
    volume,
    tidy: trash.tidy,
    kept: async () => [...(await keptInTrash(trash, sizes)), ...(await versions.kept())],
    policy,
    log,
  })
  return {
    sizes,
    leaving,
    retention,
    close: async () => {
      await retention.close()
      await leaving.close()
      await sizes.close()
    },
  }
}
