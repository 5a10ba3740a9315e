// Faults at length: what is counted stands in the report.
import { it } from 'vitest'
import {
  CAN_SHIFT_CLOCK,
  damagedDatabase,
  type Figures,
  failingDisk,
  fullDisk,
  killedAgainAndAgain,
  shiftedClock,
  silentMount,
  slowConnections,
} from '../support/fault-runs.ts'
import { HAS_FUSE } from '../support/fuse-disk.ts'
import { MAY_MOUNT } from '../support/mounts.ts'

const ERRNOS = ['EIO', 'ENOSPC', 'EROFS'] as const

function faultRun(name: string, isPossible: boolean, run: () => Promise<Figures>): void {
  it.runIf(isPossible)(name, async ({ task }) => {
    Object.assign(task.meta, { figures: await run() })
  })
}

faultRun('kill -9 at random moments during 1,000 changes', MAY_MOUNT, () =>
  killedAgainAndAgain(1_000, 11),
)
faultRun('a disk that is full half of the time', MAY_MOUNT, () => fullDisk(400, 12))
for (const errno of ERRNOS) {
  faultRun(`${errno} at each change of the disk, once`, HAS_FUSE, () =>
    failingDisk(errno, { lasting: false, seed: 13 }),
  )
  faultRun(`${errno} at each change from one on`, HAS_FUSE, () =>
    failingDisk(errno, { lasting: true, seed: 14 }),
  )
}
faultRun('the database cut off or garbled at each boundary of a write', true, () =>
  damagedDatabase(512),
)
faultRun('the clock an hour back and forth', CAN_SHIFT_CLOCK, () => shiftedClock(120, 15))
faultRun('5,000 connections that send a byte a minute', true, () => slowConnections(5_000, 150_000))
faultRun('a mount that stops answering, again and again', HAS_FUSE, () => silentMount(10, 16))
