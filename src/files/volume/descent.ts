// Down a tree and back up by open folders: the length of a path does not matter, and a folder replaced
// by a link is never entered.
import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { sep } from 'node:path'
import { AppError } from '../../lib/errors.ts'
import type { Device } from '../disks/device.ts'
import { inWorkingFolder } from '../disks/working-folder.ts'
import { type Name, type OpenFolder, openChild, openChildNow, openParent } from './open-folder.ts'
import { LARGE_FOLDER_BYTES } from './read-folder.ts'

/** Folders open at once; those further up are reopened by `..` on the way back. */
const MAX_OPEN = 32

export interface Descent {
  /** The open folder that was reached. */
  readonly folder: OpenFolder
  /** Opens a folder in it; a link of that name is an error. */
  enter(name: Name): Promise<void>
  /** Goes back to the folder above; `forbidden` when the one that is left lies elsewhere by now. */
  leave(): Promise<void>
  /**
   * Takes steps on the event loop, for as long as `work` runs. On a quick local disk they take half of what the others
   * do. False, with nothing done, where the folder that was reached lies on another, or something is mounted in it.
   */
  inTurn(work: (steps: DirectSteps) => void): boolean
  /** Closes what was entered. */
  close(): Promise<void>
}

/** Each says when it is to be done by the descent itself, with nothing done: null or false. */
export interface DirectSteps {
  /** When the last step ended, as `performance.now()` tells it. */
  readonly endedAtMs: number
  /** What is in the folder that was reached, whose own size may be known. */
  names(sizeBytes: number | null): string[] | null
  /**
   * lstat(2) of names in it, from an index on, until a time: `take` is given each, or undefined where nothing is. Throws the
   * system's error of the one after the last that was given.
   */
  stats(
    names: readonly Name[],
    from: number,
    untilMs: number,
    take: (found: Stats | undefined) => void,
  ): boolean
  enter(name: Name): boolean
  leave(): boolean
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
    inTurn(work) {
      if (!isDirect(reached()) || !top.disks.mayChangeFolder()) return false
      const enter = (name: Name) => {
        const folder = levels.length < MAX_OPEN && openChildNow(reached(), name)
        if (folder) push(folder)
        return folder !== false && folder !== null
      }
      const leave = () => {
        if (levels.length > 1 && !levels.at(-2)?.folder) return false
        void levels.pop()?.folder?.close()
        return true
      }
      inWorkingFolder(sep, (goOnIn) =>
        work(Object.assign(stepsIn(reached, goOnIn), { enter, leave })),
      )
      return true
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

function isDirect({ device, disks, realDir }: OpenFolder): boolean {
  return device.isDirect && disks.mountedIn(realDir).size === 0
}

const STAT_OPTIONS = { throwIfNoEntry: false } as const

/** Within a working folder, which becomes the one that was reached. */
function stepsIn(
  reached: () => OpenFolder,
  goOnIn: (ref: string) => void,
): Omit<DirectSteps, 'enter' | 'leave'> {
  let entered: OpenFolder | undefined
  let isQuick = false
  const isReady = (folder: OpenFolder) => {
    if (folder !== entered) {
      goOnIn(folder.ref)
      entered = folder
      isQuick = isDirect(folder)
    }
    return isQuick && folder.device.isDirect
  }
  // One look at the clock for each step: they follow each other.
  const measure = ({ device }: OpenFolder) => {
    const now = performance.now()
    device.measure(now - steps.endedAtMs)
    steps.endedAtMs = now
  }
  const steps = {
    endedAtMs: performance.now(),
    names: (sizeBytes: number | null) => {
      const folder = reached()
      // What is large is read in parts.
      if (!isReady(folder) || (sizeBytes ?? lstatSync('.').size) > LARGE_FOLDER_BYTES) return null
      const names = readdirSync('.')
      measure(folder)
      return names.some((name) => name.includes('\ufffd')) ? null : names
    },
    stats: (...[names, from, untilMs, take]: Parameters<DirectSteps['stats']>) => {
      const folder = reached()
      if (!isReady(folder)) return false
      const { device } = folder
      let lastMs = steps.endedAtMs
      try {
        for (let i = from; i < names.length && lastMs < untilMs; i++) {
          const found = lstatSync(names[i] as Name, STAT_OPTIONS)
          const nowMs = performance.now()
          device.measure(nowMs - lastMs)
          lastMs = nowMs
          take(found)
        }
      } finally {
        steps.endedAtMs = lastMs
      }
      return true
    },
  }
  return steps
}
