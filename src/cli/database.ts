// How commands reach the database: the two lines that say which files are used, then the store.
import { databasePathOf } from '../config/config.ts'
import { type ConfigFile, findConfigFile } from '../config/config-file.ts'
import type { Document } from '../store/document.ts'
import { type OpenedDatabase, openDatabase } from '../store/open-database.ts'
import type { Store } from '../store/store.ts'
import { flagValue, type Invocation } from './command.ts'

interface Sources {
  file: ConfigFile | null
  /** Absolute path as given; what is used may lie beside it. */
  database: string
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
  const database =
    otherwise !== undefined && !named ? otherwise : databasePathOf({ flags, env, file }, cwd)
  notice(`Using database: ${database}`)
  return { file, database }
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
  const { file, database } = findSources(invocation)
  const opened = await openDatabase(database, { ...options, notice: invocation.notice })
  try {
    return await use(opened.store, opened, file)
  } finally {
    await opened.store.close()
  }
}
