// Unfinished uploads of all nodes, in the care of the one that leads.
import { join } from 'node:path'
import type { NotedUpload } from '../../files/transfer/shared-uploads.ts'
import { isPartsName, TEMP_PREFIX } from '../../files/volume/temp-name.ts'
import { AppError, unless } from '../../lib/errors.ts'
import type { Services } from '../services.ts'
import type { OwnedParts } from './shared-parts.ts'
import { finishLeft } from './uploads.ts'

const SWEEP_EVERY_MS = 30_000

/**
 * While this node leads: what a node that is gone had in hand is put in place when all of its bytes had come, and what
 * nobody has gone on with for as long as uploads are kept is removed.
 */
export function sweepUploads(services: Services): void {
  const { store, resumables, sharedParts, config, log } = services
  const { shared: uploads } = resumables
  if (!uploads) return
  const each = async <T extends { vpath: string }>(found: T[], work: (one: T) => Promise<void>) => {
    for (const one of found)
      await work(one).catch((error: Error) => {
        // Somebody goes on with it.
        if (error instanceof AppError && error.code === 'locked') return
        log.warn(`an upload to ${one.vpath} stays unfinished: ${error.message}`)
      })
  }
  store.shared?.nodes.whileLeading(async () => {
    await each(await uploads.list(null, { isLeft: true }), (one) => settle(services, one))
    const rested = await uploads.list(null, { restedMs: config.tusExpiryMs })
    await each(rested, (one) => removeRested(services, one))
    const parts = await sharedParts?.list({ restedMs: config.tusExpiryMs })
    await each(parts ?? [], (one) => removeParts(services, one))
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

/** Of a file in parts, of which none has come to any node for so long. */
async function removeParts(
  { sharedParts, volume, temps, config }: Services,
  { owner, label, folder }: OwnedParts,
): Promise<void> {
  const held = await sharedParts?.hold(owner, label)
  if (!held) return
  try {
    const entries = await (async () => volume.namesAt(folder))().catch(unless('ENOENT'))
    const paths = (entries ?? [])
      .map(({ name }) => String(name))
      .filter((name) => name.startsWith(TEMP_PREFIX + label) && isPartsName(name))
      .map((name) => join(folder, name))
    const found = await Promise.all(paths.map((path) => volume.statAt(path).catch(() => null)))
    if (found.some((stats) => Number(stats?.mtimeMs ?? 0) > Date.now() - config.tusExpiryMs)) return
    for (const path of paths) {
      temps.note(path)
      await temps.drop(path)
    }
    held.noted = null
  } finally {
    await held.release()
  }
}
