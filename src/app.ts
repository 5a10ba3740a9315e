// The application: routes mounted in one list over services made once, one error handler.

import { setTimeout as delay } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'
import type { Reason } from './health/readiness.ts'
import type { Ctx, Env } from './http/context.ts'
import { delivery } from './http/deliver.ts'
import { type BaseDeps, createDeps, type Deps } from './http/deps.ts'
import { answerError } from './http/failures.ts'
import { frame, NO_CACHE, notAllowed } from './http/frame.ts'
import { PAGE, parseTarget } from './http/request-path.ts'
import { sendStatus } from './http/respond.ts'
import { sweepUploads } from './operations/uploads/left-uploads.ts'
import { finishLeftovers } from './operations/uploads/uploads.ts'
import { folderRoutes } from './routes/access/folders.ts'
import { groupRoutes } from './routes/access/groups.ts'
import { auditRoutes } from './routes/audit.ts'
import { bundleRoutes } from './routes/bundle/bundle.ts'
import { commandRoutes } from './routes/commands.ts'
import { davRoutes } from './routes/dav/dav.ts'
import { lockRoutes } from './routes/dav/lock-list.ts'
import { healthRoutes } from './routes/health/health.ts'
import { nodeRoutes } from './routes/health/nodes.ts'
import { historyRoutes } from './routes/history.ts'
import { jobEventRoutes } from './routes/jobs/events.ts'
import { jobRoutes } from './routes/jobs/jobs.ts'
import { preferenceRoutes } from './routes/keep/preferences.ts'
import { trashRoutes } from './routes/keep/trash.ts'
import { versionRoutes } from './routes/keep/versions.ts'
import { loginRoutes } from './routes/login.ts'
import { oidcRoutes } from './routes/oidc/oidc.ts'
import { openapiRoutes } from './routes/openapi.ts'
import { passkeyLoginRoutes } from './routes/passkeys/login.ts'
import { passkeyRoutes } from './routes/passkeys/own.ts'
import { pictureRoutes } from './routes/pictures/pictures.ts'
import { previewRoutes } from './routes/previews.ts'
import { publicRoutes } from './routes/public.ts'
import { rawRoutes } from './routes/raw.ts'
import { recursiveRoutes } from './routes/recursive.ts'
import { resourceRoutes } from './routes/resources.ts'
import { searchRoutes } from './routes/search.ts'
import { secondFactorRoutes } from './routes/second-factor.ts'
import { sessionRoutes } from './routes/session.ts'
import { settingsRoutes } from './routes/settings.ts'
import { shareRoutes } from './routes/shares.ts'
import { subtitleRoutes } from './routes/subtitles.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { tusRoutes } from './routes/tus.ts'
import { uiRoutes } from './routes/ui.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { usageRoutes } from './routes/usage.ts'
import { userRoutes } from './routes/users.ts'

export interface App {
  fetch: Hono<Env>['fetch']
  /** Asks without a socket; the third parameter brings `incoming`. */
  request: Hono<Env>['request']
  /** What is mounted, for the test that holds the API's description against it. */
  routes: { method: string; path: string }[]
  /** Fulfilled when what the end of the server had interrupted is finished, or cannot be. */
  settled: Promise<void>
  /** From now on `/ready` says that this server is not to be sent requests. */
  drain(): void
  /** Why this server is not to be sent requests, or nothing. */
  reasons(): Promise<Reason[]>
  /** Lets go who waits for the end of something; call when the server is about to stop. */
  stopWaiting(): void
  /** Opens the audit log anew, for tools that moved it away. */
  reopen(): void
  /** Ends children, timers and pending records; call when the server has stopped. */
  close(): Promise<void>
}

/** One line at the start, so that missing pictures of videos have an explanation in the log. */
async function reportVideoProgram({ config, log, previews }: Deps): Promise<void> {
  if (config.ffmpegPath === '') return log.info('Previews of videos: switched off by --ffmpegPath')
  const program = await previews.videoProgram
  log.info(
    program === ''
      ? `Previews of videos: none, ${config.ffmpegPath} was not found (see --ffmpegPath)`
      : `Previews of videos: by ${program}`,
  )
}

const ROUTES = [
  healthRoutes,
  nodeRoutes,
  uiRoutes,
  loginRoutes,
  sessionRoutes,
  secondFactorRoutes,
  passkeyRoutes,
  passkeyLoginRoutes,
  oidcRoutes,
  userRoutes,
  groupRoutes,
  folderRoutes,
  tokenRoutes,
  auditRoutes,
  historyRoutes,
  jobRoutes,
  jobEventRoutes,
  preferenceRoutes,
  settingsRoutes,
  recursiveRoutes,
  resourceRoutes,
  tusRoutes,
  uploadRoutes,
  bundleRoutes,
  trashRoutes,
  versionRoutes,
  pictureRoutes,
  usageRoutes,
  shareRoutes,
  rawRoutes,
  davRoutes,
  lockRoutes,
  previewRoutes,
  commandRoutes,
  searchRoutes,
  subtitleRoutes,
  publicRoutes,
  openapiRoutes,
]

/** Builds the application. Without a socket (`app.request`) its answers are made in memory. */
export function createApp(base: BaseDeps): App {
  const deps = createDeps(base)
  void reportVideoProgram(deps)
  if (base.config.trash !== 'off' || base.config.versions) deps.keeping.retention.start()
  const app = new Hono<Env>({
    router: createRouter(),
    // The raw request target decides, not the normalised URL: see request-path.ts.
    getPath: (_request, options) => {
      const env = (options as { env: Env['Bindings'] }).env
      const { url = '/', method = 'GET' } = env.incoming
      env.target = parseTarget(url, base.config.baseURL, method, base.config.dav)
      return env.target.key
    },
  })
  app.onError((error, c) => answerError(error, c as Ctx, deps))
  app.use(delivery(deps), frame(deps))
  for (const route of ROUTES) app.route('/', route(deps))
  // A method that a route does not serve is 404, not 405, and so is any unknown address.
  app.notFound((c) => {
    const { target, incoming } = (c as Ctx).env
    if (target.key.startsWith('/api/public/share') && incoming.method !== 'GET') return notAllowed()
    if (target.key !== PAGE) return sendStatus(404, { code: 'not_found' })
    return sendStatus(404, { code: 'not_found', headers: { 'Cache-Control': NO_CACHE } })
  })
  sweepUploads(deps)
  const settled = finishLeftovers(deps)
  void settled
    .then(deps.jobs.open)
    .catch((error: unknown) => base.log.error('jobs cannot be gone on with', { error }))
  return {
    fetch: app.fetch,
    request: app.request,
    routes: app.routes,
    settled,
    drain: () => {
      deps.readiness.drain()
      base.store.shared?.nodes.drain()
    },
    reasons: deps.readiness.reasons,
    stopWaiting: deps.jobs.stopWaiting,
    reopen: deps.audit.reopen,
    close: async () => {
      await endJobs(deps)
      deps.hooks.close()
      deps.transfers.close()
      deps.previews.close()
      await deps.threads.close()
      await deps.programs.close()
      // What is lost is only how lately sessions were seen.
      await deps.sessions.flush().catch((error: unknown) => {
        deps.log.warn(`when sessions were last seen was not written: ${(error as Error).message}`)
      })
      await deps.apiTokens.flush().catch((error: unknown) => {
        deps.log.warn(`when tokens were last used was not written: ${(error as Error).message}`)
      })
      await deps.passkeys.flush().catch((error: unknown) => {
        deps.log.warn(`when passkeys were last used was not written: ${(error as Error).message}`)
      })
      await deps.audit.close()
      await deps.keeping.close()
      await deps.versions.close()
      await deps.properties.close()
      await deps.davLocks.close()
      await deps.quotas.close()
      await deps.history.close()
      await deps.temps.close()
    },
  }
}

/** Of jobs, once the server stops. */
const COMMANDS_MS = 3_000

/** They write to the history, and run commands, which may take hours: these are ended after a while. */
async function endJobs({ jobs, programs }: Pick<Deps, 'jobs' | 'programs'>): Promise<void> {
  const ended = jobs.close()
  await Promise.race([ended, delay(COMMANDS_MS, undefined, { ref: false })])
  await programs.close()
  await ended
}

/** Addresses of which what was found is kept: more than there are, and made-up ones may come. */
const MAX_KNOWN = 500

/** Hono's router, asked once for each address that holds no parameter. */
function createRouter<T>(): Router<T> {
  const router = new TrieRouter<T>()
  const known = new Map<string, ReturnType<Router<T>['match']>>()
  return {
    name: router.name,
    add: (method, path, handler) => router.add(method, path, handler),
    match: (method, path) => {
      const address = `${method} ${path}`
      const before = known.get(address)
      if (before) return before
      const found = router.match(method, path)
      const isSame = found[0].every(([, parameters]) => Object.keys(parameters).length === 0)
      if (isSame && known.size < MAX_KNOWN) known.set(address, found)
      return found
    },
  }
}
