// The connections of a node besides the one of its leases (nodes.ts), by what they are for.
import { Connection, type Target } from './connection.ts'
import { takenChannel } from './followers.ts'
import { Readers } from './readers.ts'
import { quoted } from './schema.ts'

/** One to follow, one to write, one for what lives for minutes, and one that holds leases. */
export const FIXED_CONNECTIONS = 4

export interface Connections {
  readonly writer: Connection
  /** Hears of what others change. */
  readonly follower: Connection
  readonly short: Connection
  readonly readers: Readers
  close(): Promise<void>
}

interface ConnectionOptions {
  target: Target
  schema: string
  /** Shown in the database's list of connections. */
  name: string
  /** How many may be open at a time, at least `FIXED_CONNECTIONS`. */
  maxConnections: number
  onNotification(payload: string): void
}

/** Opens none before it is needed. */
export function createConnections(options: ConnectionOptions): Connections {
  const { target, schema, name, maxConnections, onNotification } = options
  const writer = new Connection(target, `filebrowser ${name}`)
  const follower = new Connection(
    target,
    `filebrowser ${name} follows`,
    async (ask) => {
      await ask(`listen ${quoted(schema)}`)
      await ask(`listen ${quoted(takenChannel(schema))}`)
    },
    onNotification,
  )
  const short = new Connection(target, `filebrowser ${name} short-lived`)
  const readers = new Readers(
    follower,
    maxConnections - FIXED_CONNECTIONS,
    () => new Connection(target, `filebrowser ${name} reads`),
  )
  return {
    writer,
    follower,
    short,
    readers,
    close: async () => {
      await readers.close()
      await Promise.all([writer.close(), follower.close(), short.close()])
    },
  }
}
