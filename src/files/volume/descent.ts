// Down a tree and back up by open folders: the length of a path does not matter, and a folder replaced
// by a link is never entered.
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { AppError } from '../../lib/errors.ts'
import type { Device } from '../disks/device.ts'
import { type Name, type OpenFolder, openChild, openParent } from './open-folder.ts'

/** Folders open at once; those further up are reopened by `..` on the way back. */
const MAX_OPEN = 32

export interface Descent {
  /** The open folder that was reached. */
  readonly folder: OpenFolder
  /** Opens a folder in it; a link of that name is an error. */
  enter(name: Name): Promise<void>
  /** Goes back to the folder above; `forbidden` when the one that is left lies elsewhere by now. */
  leave(): Promise<void>
  /** Closes what was entered. */
  close(): Promise<void>
}

interface Level {
  /** Null while it is closed. */
  folder: OpenFolder | null
  device: Device
  /** Set when it is closed. */
  identity: string
}

/** Starts in `top`, which stays the caller's to close. */
export function createDescent(top: OpenFolder): Descent {
  const levels: Level[] = []
  const reached = () => levels.at(-1)?.folder ?? top
  const push = (folder: OpenFolder) => {
    levels.push({ folder, device: folder.device, identity: '' })
  }
  return {
    get folder() {
      return reached()
    },
    async enter(name) {
      push(await openChild(reached(), name))
      const distant = levels.at(-MAX_OPEN - 1)
      if (!distant?.folder) return
      distant.identity = await identityOf(distant.folder)
      await distant.folder.close()
      distant.folder = null
    },
    async leave() {
      const left = levels.pop()?.folder
      const above = levels.at(-1)
      try {
        if (!left || !above || above.folder) return
        above.folder = await openParent(left, above.device)
        if ((await identityOf(above.folder)) !== above.identity)
          throw new AppError('forbidden', 'a folder changed its place while its tree was read')
      } finally {
        await left?.close()
      }
    },
    async close() {
      for (const { folder } of levels) await folder?.close()
      levels.length = 0
    },
  }
}

async function identityOf({ ref, device }: OpenFolder): Promise<string> {
  const { dev, ino } = device.isDirect
    ? statSync(ref, { bigint: true })
    : await device.query(() => stat(ref, { bigint: true }))
  return `${dev}:${ino}`
}
