// How commands reach the database: the two lines that say which files are used, then the store.
import { userInfo } from 'node:os'
import { type AuditTarget, appendLine, auditTargetOf } from '../audit/audit-target.ts'
import { lineOf } from '../audit/event.ts'
import {
  buildConfig,
  type Config,
  collectOverrides,
  databasePathOf,
  stateDirOf,
} from '../config/config.ts'
import { type ConfigFile, findConfigFile } from '../config/config-file.ts'
import type { Document } from '../store/document.ts'
import { type OpenedDatabase, openDatabase } from '../store/open-database.ts'
import { withoutPassword } from '../store/postgres/address.ts'
import type { PostgresPlace } from '../store/postgres/open.ts'
import type { Store } from '../store/store.ts'
import { flagValue, type Invocation } from './command.ts'

interface Sources {
  file: ConfigFile | null
  /** Absolute path as given, where what is used may lie beside it, or the address of a server. */
  database: string
  postgres: PostgresPlace
}

/**
 * Finds the configuration file and the database path, and says both on stderr. `otherwise` is the
 * absolute path used when no flag, environment or file names one.
 */
export function findSources(invocation: Invocation, otherwise?: string): Sources {
  const { flags, env, cwd, home, notice } = invocation
  const explicit = flagValue<string>(flags, 'config') ?? ''
  const { config: file, warning } = findConfigFile({ explicit, cwd, home })
  if (warning !== '') notice(`warning: ${warning}`)
  notice(file ? `Using config file: ${file.file}` : 'No config file used')
  const named = flagValue<string>(flags, 'database') || env.FB_DATABASE || file?.get('database')
  const sources = { flags, env, file }
  const database = otherwise !== undefined && !named ? otherwise : databasePathOf(sources, cwd)
  notice(`Using database: ${withoutPassword(database)}`)
  return { file, database, postgres: { stateDir: stateDirOf(sources, cwd), env } }
}

interface StoreOptions {
  create?: () => Promise<Document>
  mustBeNew?: boolean
}

/** Runs `use` with the opened database and closes it, whatever happens. */
export async function withDatabase<T>(
  invocation: Invocation,
  use: (store: Store, opened: OpenedDatabase, file: ConfigFile | null) => Promise<T>,
  options: StoreOptions = {},
): Promise<T> {
  const { file, database, postgres } = findSources(invocation)
  const opened = await openDatabase(database, { ...options, postgres, notice: invocation.notice })
  let hasChanged = opened.created
  opened.store.subscribe(() => {
    hasChanged = true
  })
  try {
    return await use(opened.store, opened, file)
  } finally {
    if (hasChanged) await recordCommand(invocation, file, opened.store)
    await opened.store.close()
  }
}

/** Where the server that uses this database and this configuration writes its audit log. */
export function findAuditTarget(
  { flags, env, cwd }: Invocation,
  file: ConfigFile | null,
  store: Store,
): AuditTarget {
  const audit = flags.get('audit')
  const own = new Map(audit ? [['audit', audit]] : [])
  return auditTargetOf(configOf({ flags: own, env, cwd }, file, store), store.file)
}

/** What the server that uses this database is configured with; `flags` are options of it alone. */
export function configOf(
  { flags, env, cwd }: Pick<Invocation, 'flags' | 'env' | 'cwd'>,
  file: ConfigFile | null,
  store: Store,
): Config {
  const silent = () => {}
  const overrides = collectOverrides({ flags, env, file }, silent)
  const stored = store.settings().server
  return buildConfig({ overrides, stored, database: store.file, cwd, warn: silent })
}

// Which command and about whom; never its other words, which may be passwords.
async function recordCommand(
  invocation: Invocation,
  file: ConfigFile | null,
  store: Store,
): Promise<void> {
  const { command, args, notice } = invocation
  try {
    const by = userInfo().username
    const target = [command, ...args.slice(0, 1)].join(' ')
    const event = { via: 'command line', by, action: 'command-line', target, result: 'ok' } as const
    await appendLine(findAuditTarget(invocation, file, store), lineOf(Date.now(), event))
  } catch (error) {
    notice(`warning: the audit log has no line of this: ${(error as Error).message}`)
  }
}
