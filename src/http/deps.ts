// The services behind the routes, made once per application.
import { availableParallelism } from 'node:os'
import { watchUsers } from '../access/user-changes.ts'
import { createAuditLog } from '../audit/audit-log.ts'
import { auditTargetOf } from '../audit/audit-target.ts'
import { createApiTokens } from '../auth/api-tokens.ts'
import { createClients } from '../auth/clients.ts'
import { createConfirmations } from '../auth/confirmations.ts'
import { type HomeOptions, makeHome } from '../auth/home.ts'
import { MAX_SIGN_IN_PROGRAMS, MAX_WAITING_SIGN_INS } from '../auth/hook.ts'
import { createDirectory } from '../auth/ldap/directory.ts'
import { createOidcProvider } from '../auth/oidc/provider.ts'
import { createPasskeys } from '../auth/passkeys/passkeys.ts'
import { createSecondFactors } from '../auth/second-factor/factors.ts'
import { createTickets } from '../auth/second-factor/tickets.ts'
import { createSessions } from '../auth/sessions.ts'
import { createThrottle } from '../auth/throttle.ts'
import { createTokens } from '../auth/tokens.ts'
import type { Config } from '../config/config.ts'
import { createPlans } from '../files/archive/plans.ts'
import { createSelections } from '../files/archive/selections.ts'
import { createLargeFolders, createWalkTurns } from '../files/listing/large-folders.ts'
import { createSniffedTypes } from '../files/listing/sniffed-types.ts'
import { createPreviews } from '../files/preview/previews.ts'
import { createSubtitleConverter } from '../files/subtitle/converter.ts'
import type { Metrics } from '../health/metrics.ts'
import { createReadiness } from '../health/readiness.ts'
import { auditLineOf } from '../jobs/audit-line.ts'
import { createJobs } from '../jobs/jobs.ts'
import { createBuffers } from '../lib/buffers.ts'
import { createGate } from '../lib/gate.ts'
import type { Logger } from '../lib/log.ts'
import { createSharedSelections } from '../operations/archives/shared-selections.ts'
import { createServices } from '../operations/services.ts'
import { createPrograms } from '../programs/runner.ts'
import type { Collection } from '../store/collection.ts'
import {
  FOLDERS,
  GROUPS,
  MEMBERSHIPS,
  SESSIONS,
  SETTINGS,
  SHARES,
  USERS,
} from '../store/collections.ts'
import type { Store } from '../store/store.ts'
import type { Assets } from './assets.ts'
import { createPendingBodies } from './pending-bodies.ts'
import { createTransfers } from './transfers.ts'

/** What the program brings along. */
export interface BaseDeps {
  config: Config
  store: Store
  log: Logger
  assets: Assets
  /** The served tree ignores case (macOS, Windows): rules are folded then. */
  foldCase: boolean
  /** Names of the roots on disks that ignore case. */
  foldingRoots?: ReadonlySet<string>
  /** Counts for Prometheus, where that is wanted. */
  metrics?: Metrics | undefined
  /** How long a body may take that is read into memory, in milliseconds; see body.ts. */
  bodyTimeoutMs?: number
}

export type Deps = ReturnType<typeof createDeps>

/** Makes the services all requests share; `app.ts` closes them. */
export function createDeps(base: BaseDeps) {
  const { config, store, log } = base
  const programs = createPrograms(config.hookEnv)
  const previews = createPreviews({
    cacheDir: config.cacheDir,
    cacheSizeBytes: config.previewCacheSizeBytes,
    concurrency: Math.min(availableParallelism(), config.imageProcessors),
    ffmpegPath: config.ffmpegPath,
  })
  const services = createServices({ ...base, programs, previews })
  const auditTarget = auditTargetOf(config, store.file)
  const audit = createAuditLog(auditTarget, {
    stdout: (line) => void process.stdout.write(line),
    onError: (error) => log.error(`the audit log cannot be written: ${(error as Error).message}`),
  })
  const apiTokens = createApiTokens(store)
  const readiness = createReadiness(services)
  base.metrics?.watch({
    store,
    sessions: () => store.large.count(SESSIONS).catch(() => Number.NaN),
    uploads: () =>
      services.resumables.shared?.count(null).catch(() => Number.NaN) ??
      countOf(services.temps.noted().values(), ({ upload }) => upload !== undefined),
    previews: previews.waiting,
    roots: readiness.roots,
  })
  return {
    ...base,
    ...services,
    metrics: base.metrics,
    tokens: createTokens(() => store.settings().key),
    sessions: createSessions(
      store,
      { idleMs: config.sessionIdleMs, maxMs: config.sessionMaxMs },
      (error) =>
        log.error(
          `who signs in and out is kept in memory until the database can be written: ${(error as Error).message}`,
        ),
    ),
    readiness,
    apiTokens,
    secondFactors: createSecondFactors(store),
    passkeys: createPasskeys(store, log, services.threads),
    /** Null where none is configured. */
    oidc: createOidcProvider(config, store.shortLived),
    /** Of those who have given their password and owe the second step. */
    loginTickets: createTickets(store.shortLived),
    confirmations: createConfirmations(store.shortLived),
    auditTarget,
    audit,
    /** Work that goes on without whoever has asked for it. */
    jobs: createJobs({
      services,
      tokens: apiTokens,
      onEnd: async (record) => audit.record(await auditLineOf(services, record)),
    }),
    clients: createClients(config, log),
    logins: createThrottle(store.shortLived, 'sign-ins', config.loginRateLimit),
    sharePasswords: createThrottle(store.shortLived, 'share passwords', config.loginRateLimit),
    /** Accounts that were made by sign-up, and failures to make one. */
    signups: createThrottle(store.shortLived, 'sign-ups', config.loginRateLimit),
    /** Lets a few sign-in programs run at a time. */
    inSignInTurn: createGate(MAX_SIGN_IN_PROGRAMS, MAX_WAITING_SIGN_INS),
    /** Where people sign in besides; asked when somebody does. */
    directory: config['ldap.url'] === '' ? null : createDirectory(config, log.warn),
    programs,
    previews,
    subtitles: createSubtitleConverter(services.threads),
    sniffedTypes: createSniffedTypes(),
    largeFolders: createLargeFolders(),
    inWalkTurn: createWalkTurns(),
    selections: store.shared ? createSharedSelections(store.shortLived) : createSelections(),
    plans: plansOf(store),
    bodies: createPendingBodies(),
    transfers: createTransfers(),
    buffers: createBuffers(),
    /** Second of the last change of each user since the start, for the renewal hint. */
    userChanges: watchUsers(store),
    /** Creates the folder of a scope below the server root. */
    makeHome: (scope: string, options?: HomeOptions) => {
      const { root, followExternalSymlinks } = config
      const { fileMode, dirMode } = store.settings()
      return makeHome(
        { volume: services.volume, root, followExternalSymlinks, fileMode, dirMode },
        scope,
        options,
      )
    },
  }
}

function countOf<T>(values: Iterable<T>, test: (value: T) => boolean): number {
  let count = 0
  for (const value of values) if (test(value)) count++
  return count
}

/** What decides who sees what in a tree. */
const OF_RIGHTS: readonly Collection[] = [
  SETTINGS,
  USERS,
  SHARES,
  GROUPS,
  MEMBERSHIPS,
  FOLDERS,
] as readonly Collection[]

// Plans hold names, which nobody may be told once a right has ended.
function plansOf(store: Store) {
  const plans = createPlans()
  store.subscribe((changes) => {
    const isOf = (of: Collection) => changes.before(of).size + changes.unseen(of).length > 0
    if (OF_RIGHTS.some(isOf)) plans.clear()
  })
  return plans
}
