// The services behind the routes, made once per application.
import { availableParallelism } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { createClients } from '../auth/clients.ts'
import { type HomeOptions, inHomeWords } from '../auth/home.ts'
import { MAX_SIGN_IN_PROGRAMS, MAX_WAITING_SIGN_INS } from '../auth/hook.ts'
import { createSessions } from '../auth/sessions.ts'
import { createThrottle } from '../auth/throttle.ts'
import { createTokens } from '../auth/tokens.ts'
import { createCaselessDisks } from '../files/caseless/caseless-disks.ts'
import { createDisks, type Disks } from '../files/disks/disks.ts'
import { createScope } from '../files/place/scope.ts'
import { createPreviews } from '../files/preview/previews.ts'
import { createSubtitleConverter } from '../files/subtitle/converter.ts'
import { createResumables } from '../files/transfer/resumable.ts'
import { createTempRegistry } from '../files/transfer/temp-registry.ts'
import { admitUpload } from '../files/transfer/unfinished.ts'
import { createHooks } from '../hooks/hooks.ts'
import { createGate } from '../lib/gate.ts'
import { createLocks } from '../lib/locks.ts'
import { vpathOf } from '../lib/vpath.ts'
import { createPrograms } from '../programs/runner.ts'
import type { User } from '../store/document.ts'
import { BODY_TIMEOUT_MS } from './body.ts'
import type { BaseDeps, Deps } from './env.ts'
import { createPendingBodies } from './pending-bodies.ts'
import { createSelections } from './selections.ts'
import { createTransfers } from './transfers.ts'

/** Makes the services all requests share; `app.ts` closes them. */
export function createDeps(base: BaseDeps): Deps {
  const { config, store, log } = base
  const programs = createPrograms(config.hookEnv)
  const disks = createDisks()
  const temps = createTempRegistry(disks, `${store.file}.uploads`, config.tusExpiryMs)
  const previews = createPreviews({
    cacheDir: config.cacheDir,
    cacheSizeBytes: config.previewCacheSizeBytes,
    concurrency: Math.min(availableParallelism(), config.imageProcessors),
    ffmpegPath: config.ffmpegPath,
  })
  return {
    bodyTimeoutMs: BODY_TIMEOUT_MS,
    ...base,
    disks,
    tokens: createTokens(() => store.read().settings.key),
    sessions: createSessions(
      store,
      { idleMs: config.sessionIdleMs, maxMs: config.sessionMaxMs },
      (error) =>
        log.error(
          `who signs in and out is kept in memory until the database can be written: ${(error as Error).message}`,
        ),
    ),
    clients: createClients(config, log),
    logins: createThrottle(config.loginRateLimit),
    sharePasswords: createThrottle(config.loginRateLimit),
    signups: createThrottle(config.loginRateLimit),
    inSignInTurn: createGate(MAX_SIGN_IN_PROGRAMS, MAX_WAITING_SIGN_INS),
    resumables: createResumables((owner) => admitUpload(disks, temps, owner)),
    temps,
    saves: createLocks(),
    programs,
    hooks: createHooks({ config, store, log, programs, previews }),
    previews,
    caselessDisks: createCaselessDisks(disks, config.root, base.foldCase),
    subtitles: createSubtitleConverter(),
    selections: createSelections(),
    bodies: createPendingBodies(),
    transfers: createTransfers(),
    userChanges: watchUsers(base),
    makeHome: (scope, options) => makeHome(base, disks, scope, options),
  }
}

// The second in which each user's record last changed since the start, whoever changed it.
function watchUsers({ store }: BaseDeps): Map<number, number> {
  const changes = new Map<number, number>()
  let known = new Map(store.read().users.map((user) => [user.id, user]))
  store.subscribe(({ users }) => {
    const now = new Map(users.map((user) => [user.id, user]))
    const nowSeconds = Math.floor(Date.now() / 1000)
    for (const [id, user] of now)
      if (known.has(id) && isChanged(known.get(id), user)) changes.set(id, nowSeconds)
    known = now
  })
  return changes
}

// All records are new ones when another process has written the file.
function isChanged(before: User | undefined, after: User): boolean {
  return before !== after && !isDeepStrictEqual(before, after)
}

async function makeHome(
  { config, store }: BaseDeps,
  disks: Disks,
  scope: string,
  { mustBeNew = false }: HomeOptions = {},
): Promise<void> {
  const { settings } = store.read()
  const tree = createScope({
    disks,
    root: config.root,
    allow: () => true,
    followExternalSymlinks: config.followExternalSymlinks,
    fileMode: settings.fileMode,
    dirMode: settings.dirMode,
  })
  const home = vpathOf(scope)
  await inHomeWords(scope, () => (mustBeNew ? tree.makeNewFolder(home) : tree.makeFolder(home)))
}
