// What was deleted or replaced, when the server is killed again and again.
import { it } from 'vitest'
import { killedWhileKeeping } from '../support/kept-runs.ts'
import { MAY_MOUNT } from '../support/mounts.ts'

/** Ten groups, so that a failure says about when it was. */
const GROUPS = Array.from({ length: 10 }, (_, i) => i)
const KILLS_IN_GROUP = 100

it.runIf(MAY_MOUNT).for(GROUPS)(
  'kill -9 amid deletions, restores, replacements, undos and sweeps loses nothing (%i)',
  async (group, { task }) => {
    const figures = await killedWhileKeeping(KILLS_IN_GROUP, 1_000 * group + 17)
    Object.assign(task.meta, { figures })
  },
)
