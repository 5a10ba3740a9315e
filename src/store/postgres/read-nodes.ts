// Asking a database for its nodes, without being one.
import type { NodeFacts } from '../nodes/nodes.ts'
import { parseAddress } from './address.ts'
import { Connection } from './connection.ts'
import { readNodesBy } from './nodes.ts'
import { startFailure } from './open.ts'
import { findPassword } from './password.ts'
import { SCHEMA } from './schema.ts'

/** The nodes that serve from a database, or have lately; oldest first. Throws AppError as openPostgres does. */
export async function readNodes(
  database: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<NodeFacts[]> {
  const address = parseAddress(database)
  const target = { address, password: () => findPassword(address, env) }
  const connection = new Connection(target, 'filebrowser asks')
  try {
    return await readNodesBy(connection, SCHEMA)
  } catch (error) {
    throw startFailure(error, address)
  } finally {
    await connection.close()
  }
}
