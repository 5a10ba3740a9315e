// `filebrowser` without a command: reads the configuration, opens the database, serves until told
// to stop.
import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { type App, createApp } from '../app.ts'
import { isBelieved } from '../auth/address.ts'
import { listensOnLoopback } from '../auth/allowed-hosts.ts'
import { isWholeTree } from '../auth/home.ts'
import { buildConfig, type Config, collectOverrides, type Overrides } from '../config/config.ts'
import { OPTIONS } from '../config/options.ts'
import { foldsCase } from '../files/caseless/folds-case.ts'
import { checkRoots } from '../files/place/roots.ts'
import { createMetrics, type Metrics } from '../health/metrics.ts'
import { listenForMetrics } from '../health/metrics-listener.ts'
import { openAssets } from '../http/assets.ts'
import { badRequest, errnoOf } from '../lib/errors.ts'
import { type Logger, openLog } from '../lib/log.ts'
import { VERSION } from '../lib/version.ts'
import { keepOneArena, watchShortMemory } from '../programs/short-memory.ts'
import { listen, type RunningServer } from '../server.ts'
import type { Settings } from '../store/document.ts'
import { removeLeftovers } from '../store/leftovers.ts'
import { openDatabase } from '../store/open-database.ts'
import { isPostgresAddress } from '../store/postgres/address.ts'
import type { Store } from '../store/store.ts'
import type { Invocation } from './command.ts'
import { findSources } from './database.ts'
import { type FirstStart, prepareFirstStart } from './first-start.ts'
import { accountLine, isPrivateListener, startBlock } from './start-block.ts'

/** A start waits so long for uploads that were complete: commands before them may take hours. */
const SETTLE_MS = 5_000

/** How many connections the database may be asked over at a time. Throws AppError `bad_request` where another number is given and it is a file. */
function poolOf({ databasePool: given }: Overrides, database: string): number {
  const { parse, default: usual } = OPTIONS.databasePool
  const count = given?.value ?? parse(usual)
  if (given && count !== parse(usual) && !isPostgresAddress(database))
    throw badRequest(
      `${given.source} is for a database at postgres://…, and this one is ${database}`,
    )
  return count
}

/** Who watches a start asks for `/health` every few milliseconds, and need not wait for accounts then. */
const FIRST_ANSWER_MS = 10

/** Permission bit: who is neither owner nor in the group may write. */
const OTHERS_WRITE = 0o002

export interface ServeInvocation extends Invocation {
  /** Calls back for every signal the server answers to, until released. */
  onSignal(listener: (signal: 'stop' | 'reload', name: string) => void): () => void
  /** Calls back for failures nobody caught, until released. */
  onStray(listener: (error: unknown) => void): () => void
}

/** Serves until a stop signal; returns the exit code. */
export async function serve(invocation: ServeInvocation): Promise<number> {
  const { flags, env, cwd, notice } = invocation
  keepOneArena(env)
  const warn = (message: string) => notice(`warning: ${message}`)
  const { file, database, postgres } = findSources(invocation)
  const overrides = collectOverrides({ flags, env, file }, warn)

  let first: FirstStart | undefined
  const opened = await openDatabase(database, {
    notice,
    leavesLists: true,
    postgres: {
      ...postgres,
      graceMs: overrides.recordsGrace?.value ?? 0,
      maxConnections: poolOf(overrides, database),
      nodeName: overrides.nodeName?.value ?? '',
    },
    create: async () => {
      notice(`warning: ${database} does not exist and is made now`)
      first = await prepareFirstStart(overrides, file, warn)
      return first.doc
    },
  })
  const { store } = opened
  // Another process may have made the database at the same moment: then that one counts.
  const account = opened.created ? first : undefined
  let running: RunningServer | undefined
  try {
    const settings = store.settings()
    const config = buildConfig({ overrides, stored: settings.server, database, cwd, warn })
    await checkRoots(config.root, config.roots)
    for (const line of securityWarnings(config, settings)) warn(line)
    if (config.cacheDir !== '') await prepareCache(config.cacheDir, warn)
    const log = await openLog({
      target: config.log,
      format: config.logFormat,
      stdout: invocation.stdout,
      stderr: invocation.stderr,
    })
    void tidyUp(store, log.logger)
    const metrics = config.metrics === null ? undefined : await createMetrics()
    reportSilence(store, log.logger)
    try {
      await store.shared?.nodes.join({ version: VERSION, log: log.logger })
      const app = createApp({
        config,
        store,
        log: log.logger,
        metrics,
        assets: openAssets(),
        foldCase: await foldsCase(config.root),
        foldingRoots: await rootsThatFold(config),
      })
      // Before listening, so that whoever sees us listen can also stop us.
      const signals = watchSignals(invocation, log.logger, async () => {
        log.reopen()
        app.reopen()
        await running?.reloadCertificate()
      })
      try {
        // What comes now must not be replaced by what came before.
        await Promise.race([app.settled, wait(SETTLE_MS, undefined, { ref: false })])
        await using _metrics = await openMetrics(config, metrics, { app, log: log.logger })
        running = await listen({ config, fetch: app.fetch, log: log.logger })
        await readRest(store, running)
        using _memory = watchShortMemory()
        log.logger.info(`Listening on ${running.address}`)
        invocation.stderr(startBlock(config, running, account))
        const name = await signals.stopped
        return (await stop(name, { config, log: log.logger, app, running })) ? 0 : 1
      } finally {
        await app.close()
        signals.release()
      }
    } finally {
      await log.close()
    }
  } catch (error) {
    // The random password exists nowhere else, so it is shown even though nothing listens.
    if (account && !running) invocation.stderr(accountLine(account))
    throw error
  } finally {
    await store.close()
  }
}

/** Reads what the start has left, while `/health` is answered. */
async function readRest(store: Store, running: RunningServer): Promise<void> {
  try {
    await store.rest?.(FIRST_ANSWER_MS)
  } catch (error) {
    await running.close(0)
    throw error
  }
}

interface Stopping {
  config: Config
  log: Logger
  app: App
  running: RunningServer
}

/** Sends new requests elsewhere, then lets the running ones finish. True when none had to be cut off. */
async function stop(name: string, { config, log, app, running }: Stopping): Promise<boolean> {
  const { drainDelayMs, drainTimeoutMs } = config
  app.drain()
  running.drain()
  if (drainDelayMs > 0) {
    log.info(`${name}: requests are taken for ${drainDelayMs / 1000} s more`)
    await wait(drainDelayMs)
  }
  log.info(`${name}: stopping, running requests may finish for ${drainTimeoutMs / 1000} s`)
  app.stopWaiting()
  const isDrained = await running.close(drainTimeoutMs)
  if (!isDrained) log.error(`Requests still ran after ${drainTimeoutMs / 1000} s and were cut off`)
  return isDrained
}

/** Listens at the address for Prometheus, where there is one, until it is disposed of. */
async function openMetrics(
  config: Config,
  metrics: Metrics | undefined,
  { app, log }: Pick<Stopping, 'app' | 'log'>,
): Promise<AsyncDisposable> {
  if (!metrics || config.metrics === null) return { [Symbol.asyncDispose]: async () => {} }
  const listener = await listenForMetrics(config.metrics, metrics, app.reasons)
  log.info(`Metrics at http://${listener.address}/metrics`)
  return {
    [Symbol.asyncDispose]: async () => {
      await listener.close()
      metrics.close()
    },
  }
}

function reportSilence({ shared }: Store, log: Logger): void {
  shared?.onSilence((error) => {
    if (error) log.error(`requests are refused until the database answers: ${error.message}`)
    else log.info('The database answers again')
  })
}

async function rootsThatFold({ roots }: Config): Promise<ReadonlySet<string>> {
  const folding = new Set<string>()
  for (const [name, path] of Object.entries(roots)) if (await foldsCase(path)) folding.add(name)
  return folding
}

// Beside the start: a lock that a killed process holds may have to be waited for.
async function tidyUp(store: Store, log: Logger): Promise<void> {
  try {
    const removed = await removeLeftovers(store.file)
    if (removed.length > 0)
      log.info(`Removed what a killed process left beside the database: ${removed.length} files`)
  } catch (error) {
    log.warn(`unfinished copies of the database may be left: ${(error as Error).message}`)
  }
}

// Previews without a cache are only slower, so this is worth a line and not the start.
async function prepareCache(folder: string, warn: (message: string) => void): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (errnoOf(error) === '') throw error
    warn(`--cacheDir ${folder} cannot be written (${errnoOf(error)}): previews are made each time`)
  }
}

interface Signals {
  /** Resolves to the name of the first signal that asks to stop. */
  stopped: Promise<string>
  release(): void
}

function watchSignals(
  invocation: ServeInvocation,
  log: Logger,
  reload: () => Promise<void>,
): Signals {
  // A failure that belongs to no request must not take the other people's transfers down with it.
  const release = invocation.onStray((error) => log.error('Unexpected failure', { error }))
  const stopped = new Promise<string>((resolve) => {
    invocation.onSignal((signal, name) => {
      if (signal === 'stop') return resolve(name)
      log.info(`${name}: reading certificates again and reopening the log`)
      reload().catch((error: unknown) => log.error('Reloading failed', { error }))
    })
  })
  return { stopped, release }
}

function securityWarnings(config: Config, settings: Settings): string[] {
  const lines: string[] = []
  if (config.enableExec) {
    lines.push(
      'shell commands are enabled: who may execute acts with the rights of this process. ' +
        'Turn them off with --disableExec unless you need them',
    )
  }
  if (config['ldap.url'] !== '' && settings.authMethod !== 'json')
    lines.push(
      `ldap.url is for the method json, and the method is ${settings.authMethod}: it is not used`,
    )
  if (config.followExternalSymlinks) {
    lines.push('symbolic links that leave a scope are followed: every link opens what it points to')
  }
  // Where nobody chose a scope they get homes, see auth/provision.ts.
  const { signup, authMethod, createUserDir, defaults } = settings
  const makesAccounts = signup || authMethod === 'proxy' || authMethod === 'hook'
  if (makesAccounts && !createUserDir && isWholeTree(defaults.scope)) {
    lines.push(
      'accounts made by sign-up, proxy or sign-in program see the whole served folder; ' +
        'set --createUserDir or another --scope unless you want that',
    )
  }
  if (
    settings.authMethod === 'proxy' &&
    config.trustedProxies === null &&
    !isPrivateListener(config)
  ) {
    lines.push('sign-in by header is refused until --trustedProxies names your proxy')
  }
  if (settings.authMethod === 'proxy' && listensOnLoopback(config) && !config.allowedHosts.length) {
    lines.push(
      'a web page opened on this machine could sign in by the header (DNS rebinding); ' +
        'set --allowedHosts to the host names of your proxy',
    )
  }
  const { socket, socketPerm, trustedProxies } = config
  const isOpenSocket = socket !== '' && (socketPerm & OTHERS_WRITE) !== 0
  if (settings.authMethod === 'proxy' && isOpenSocket && isBelieved('', trustedProxies)) {
    lines.push(
      `every user of this machine can sign in as anybody by the header, because all may open ${socket}; ` +
        'set --socketPerm 0660 and let the proxy be in the group',
    )
  }
  if (settings.authMethod === 'noauth' && !isPrivateListener(config)) {
    lines.push('nobody has to sign in, and this server can be reached from other machines')
  }
  return lines
}
