// Faults amid changes: small runs of what `npm run test:long` does at length (test/long/faults.test.ts).
import { expect, it } from 'vitest'
import {
  CAN_SHIFT_CLOCK,
  damagedDatabase,
  failingDisk,
  fullDisk,
  killedAgainAndAgain,
  shiftedClock,
  silentMount,
  slowConnections,
} from '../support/fault-runs.ts'
import { HAS_FUSE } from '../support/fuse-disk.ts'
import { MAY_MOUNT } from '../support/mounts.ts'

it.runIf(MAY_MOUNT)('kill -9 loses nothing that was confirmed and tears no file', async () => {
  const { faults } = await killedAgainAndAgain(60, 1)
  expect(faults).toBeGreaterThan(0)
})

it.runIf(MAY_MOUNT)('a full disk loses nothing and keeps nobody out', async () => {
  await fullDisk(40, 2)
})

it.runIf(HAS_FUSE).each([
  ['EIO', 0],
  ['ENOSPC', 1],
  ['EROFS', 2],
] as const)('a disk that fails with %s at one change loses nothing', async (errno, from) => {
  await failingDisk(errno, { lasting: false, seed: 3, step: 5, kinds: { from, step: 3 } })
})

it('a damaged database is refused in words and stays as it is', async () => {
  await damagedDatabase(4_096)
})

it.runIf(CAN_SHIFT_CLOCK)('a clock that is set keeps people signed in', async () => {
  await shiftedClock(24, 4)
})

it('five hundred connections that never finish keep nobody waiting', async () => {
  await slowConnections(500, 2_000)
})

it.runIf(HAS_FUSE)('a disk that hangs and comes back loses nothing', async () => {
  await silentMount(1, 5)
})
