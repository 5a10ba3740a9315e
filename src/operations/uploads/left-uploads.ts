// Unfinished uploads of all nodes, in the care of the one that leads.
import type { NotedUpload } from '../../files/transfer/shared-uploads.ts'
import { AppError } from '../../lib/errors.ts'
import type { Services } from '../services.ts'
import { finishLeft } from './uploads.ts'

const SWEEP_EVERY_MS = 30_000

/**
 * While this node leads: what a node that is gone had in hand is put in place when all of its bytes had come, and what
 * nobody has gone on with for as long as uploads are kept is removed.
 */
export function sweepUploads(services: Services): void {
  const { store, resumables, config, log } = services
  const { shared: uploads } = resumables
  if (!uploads) return
  const each = async (found: NotedUpload[], work: (one: NotedUpload) => Promise<void>) => {
    for (const one of found)
      await work(one).catch((error: Error) => {
        // Somebody goes on with it.
        if (error instanceof AppError && error.code === 'locked') return
        log.warn(`${one.path}: an upload stays unfinished: ${error.message}`)
      })
  }
  store.shared?.nodes.whileLeading(async () => {
    await each(await uploads.list(null, { isLeft: true }), (one) => settle(services, one))
    const rested = await uploads.list(null, { restedMs: config.tusExpiryMs })
    await each(rested, (one) => removeRested(services, one))
  }, SWEEP_EVERY_MS)
}

/** Looked at once: after that it is not left any more. */
async function settle(services: Services, { key, owner, vpath, path }: NotedUpload): Promise<void> {
  let isFinished = false
  try {
    isFinished = await finishLeft(services, owner, vpath)
    if (isFinished) services.log.info(`${path}: an upload that was complete is in place`)
  } finally {
    if (!isFinished) {
      const held = await services.resumables.shared?.hold(key, { waitMs: 0 })
      await held?.release()
    }
  }
}

async function removeRested(
  { resumables, volume, temps, config }: Services,
  { key, path, tempName }: NotedUpload,
): Promise<void> {
  const held = await resumables.shared?.hold(key, { waitMs: 0 })
  if (!held) return
  try {
    if (held.noted?.tempName !== tempName) return
    const stats = await volume.statAt(path).catch(() => null)
    // Bytes have come since.
    if (stats && Number(stats.mtimeMs) > Date.now() - config.tusExpiryMs) return
    temps.note(path)
    await temps.drop(path)
    held.noted = null
  } finally {
    await held.release()
  }
}
