// Commands around a change run once, on the node that does the work. Before they may run that is written down, so that
// the leading node can log which a node has taken with it; nobody runs them again.
import type { Logger } from '../lib/log.ts'
import type { Nodes } from '../store/nodes/nodes.ts'

const LOOK_EVERY_MS = 5_000
const PREFIX = 'commands '

/** What the commands are for. */
export interface NotedChange {
  event: string
  path: string
  username: string
}

/** Ends what was written down. */
export type EndNote = () => void

export interface NotedCommands {
  /** Resolves once it is written down, or cannot be, which is logged. */
  begin(change: NotedChange): Promise<EndNote>
}

/** Without `nodes` nothing is written down: one process has nobody who could tell. */
export function createNotedCommands(nodes: Nodes | undefined, log: Logger): NotedCommands {
  if (!nodes) return { begin: async () => () => {} }
  const { leases } = nodes
  nodes.whileLeading(async () => {
    for (const { key } of await leases.notes(PREFIX, { isLeft: true })) {
      const lease = await leases.take(key, { stops: false, waitMs: 0 })
      if (lease.note !== null) log.warn(lostLine(JSON.parse(lease.note)))
      await lease.release(null)
    }
  }, LOOK_EVERY_MS)
  return {
    begin: async (change) => {
      const note = JSON.stringify({ ...change, node: nodes.name })
      try {
        const key = PREFIX + crypto.randomUUID()
        const lease = await leases.take(key, { stops: false, note })
        return lease.letGo
      } catch (error) {
        log.warn(`commands that this node takes with it will not be logged: ${String(error)}`)
        return () => {}
      }
    },
  }
}

function lostLine({ event, path, username, node }: NotedChange & { node: string }): string {
  return `${path}: node ${node} went away amid this ${event} by ${username}; the commands around it may not have run`
}
