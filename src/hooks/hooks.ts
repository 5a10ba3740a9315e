// What happens around a change: the administrator's event commands and webhooks.
import { join, posix, sep } from 'node:path'
import { hostPathOf, placeOf } from '../access/folder-rights.ts'
import type { Config } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { VPath } from '../lib/vpath.ts'
import { splitWords } from '../programs/command-line.ts'
import { createLines } from '../programs/lines.ts'
import type { Programs } from '../programs/runner.ts'
import type { EventName, Settings, User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { createNotedCommands, type EndNote } from './noted-commands.ts'
import { createWebhooks, webhookSecretOf } from './webhooks.ts'

export interface FileChange {
  event: EventName
  user: User
  vpath: VPath
  destination?: VPath
}

export interface Hooks {
  /**
   * Sends the webhooks and runs the commands of `before_<event>` or `after_<event>`, one after the
   * other. Throws `command_failed` when one fails; the rest does not run then.
   * True when there were commands. The signal ends the one that runs. `claim` is waited for before the first of
   * either.
   */
  run(when: 'before' | 'after', change: FileChange, options?: RunOptions): Promise<boolean>
  /** To be called before a change whose commands are to run; gives what is to be called when they have, or do not. */
  begin(change: FileChange): Promise<EndNote>
  close(): void
}

interface RunOptions {
  signal?: AbortSignal | undefined
  claim?: (() => Promise<void>) | undefined
}

export interface HookServices {
  config: Config
  store: Store
  log: Logger
  programs: Programs
  /** Counts what has ended. */
  metrics?: HookCounts | undefined
}

export interface HookCounts {
  hook(kind: 'command' | 'webhook', isOk: boolean): void
}

export function createHooks(services: HookServices): Hooks {
  const { config, store, log } = services
  const secret = () => webhookSecretOf(config.webhookSecret, store.settings().key)
  const webhooks = createWebhooks({
    secret,
    isWanted: (url) => store.settings().webhooks.some((hook) => hook.enabled && hook.url === url),
    log,
    metrics: services.metrics,
    nodes: store.shared?.nodes,
  })
  const noted = createNotedCommands(store.shared?.nodes, log)
  const linesOf = (trigger: string) =>
    config.enableExec ? (store.settings().commands[trigger] ?? []) : []

  return {
    begin: async ({ event, vpath, user }) => {
      const isDue = ['before', 'after'].some((when) => linesOf(`${when}_${event}`).length > 0)
      if (!isDue) return () => {}
      return await noted.begin({ event, path: vpath, username: user.username })
    },
    run: async (when, change, { signal, claim } = {}) => {
      const trigger = `${when}_${change.event}`
      const settings = store.settings()
      const lines = linesOf(trigger)
      if (lines.length > 0 || settings.webhooks.length > 0) await claim?.()
      if (settings.webhooks.length > 0)
        await webhooks.send(settings.webhooks, {
          trigger,
          path: change.vpath,
          destination: change.destination ?? '',
          username: change.user.username,
          time: new Date().toISOString(),
        })
      if (lines.length === 0) return false
      const variables = variablesOf({ config, store }, change, trigger)
      for (const line of lines) await runLine(line, settings, variables, { ...services, signal })
      return true
    },
    close: () => webhooks.close(),
  }
}

type EventVariables = Record<'FILE' | 'SCOPE' | 'TRIGGER' | 'USERNAME' | 'DESTINATION', string>

/** Paths as they were given: a served folder that is a link stays one. */
function variablesOf(
  services: Pick<HookServices, 'config' | 'store'>,
  change: FileChange,
  trigger: string,
): EventVariables {
  const { config } = services
  const inTree = (vpath: VPath) => placeOf(services, change.user, vpath)
  // A scope cannot climb out of the root.
  const host = (vpath: VPath) => {
    const { place, top } = inTree(vpath)
    if (top !== null) return hostPathOf(config, place)
    return withoutEnd(join(config.root, posix.join('/', change.user.scope.trim(), vpath)))
  }
  const { top } = inTree(change.vpath)
  return {
    FILE: host(change.vpath),
    SCOPE: top === null ? change.user.scope : hostPathOf(config, top),
    TRIGGER: trigger,
    USERNAME: change.user.username,
    DESTINATION: host(change.destination ?? ('/' as VPath)),
  }
}

function withoutEnd(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path
}

async function runLine(
  line: string,
  settings: Settings,
  variables: EventVariables,
  { programs, log, metrics, signal }: HookServices & { signal?: AbortSignal | undefined },
): Promise<void> {
  const background = line.trimEnd().endsWith('&')
  const text = background ? line.trimEnd().slice(0, -1).trimEnd() : line
  const argv = argvOf(text, settings, variables)
  if (argv.length === 0) return
  const createOutput = createOutputLog(variables.TRIGGER, log)
  const [stdout, stderr] = [createOutput(), createOutput()]
  const startedMs = performance.now()
  // No limit of time or output: a command may convert films for hours, as it could before.
  const failed = (how: string, cause?: unknown) =>
    new AppError('command_failed', `${variables.TRIGGER}: ${argv[0]} ${how}`, { cause })
  const running = programs
    .run(argv, {
      env: variables,
      stdin: JSON.stringify(variables),
      untilExit: true,
      // What runs behind the change is nobody's to end.
      signal: background ? undefined : signal,
      onStdout: stdout.add,
      onStderr: stderr.add,
    })
    .then(
      ({ exitCode, ended }) => {
        stdout.end()
        stderr.end()
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
        const end = `ended with ${ended ?? exitCode ?? 'a signal'}`
        log.info(`${variables.TRIGGER}: ${argv[0]} ${end} after ${seconds} s`)
        metrics?.hook('command', exitCode === 0)
        if (exitCode !== 0) throw failed(end)
      },
      (error: Error) => {
        metrics?.hook('command', false)
        log.info(`${variables.TRIGGER}: ${argv[0]} did not start: ${error.message}`)
        throw failed('cannot be started', error)
      },
    )
  if (!background) return await running
  // It is in the log already.
  running.catch(() => {})
}

const MAX_LOGGED_LINES = 100
const MAX_LINE_CHARS = 1_000

/** Logs what a command prints, the first lines of it. */
function createOutputLog(trigger: string, log: Logger) {
  let lines = 0
  const add = (line: string) => {
    lines += 1
    if (lines <= MAX_LOGGED_LINES) log.info(`${trigger}: | ${line}`)
    else if (lines === MAX_LOGGED_LINES + 1) log.info(`${trigger}: | further lines are not logged`)
  }
  return () => {
    const { add: split, end } = createLines(add, MAX_LINE_CHARS)
    return { add: (chunk: Buffer) => void (lines > MAX_LOGGED_LINES || split(chunk)), end }
  }
}

// A line that cannot be read is the administrator's mistake, not that of the client.
function argvOf(line: string, { shell }: Settings, variables: EventVariables): string[] {
  try {
    return toArgv(line, shell, variables)
  } catch (error) {
    const reason = (error as Error).message
    throw new AppError('command_failed', `${variables.TRIGGER}: ${reason}`, { cause: error })
  }
}

/**
 * The argv of a hook line. With a shell the raw line is its last argument and only the environment
 * carries values; without one `$NAME` and `${NAME}` are replaced inside arguments, by the change or
 * the server's environment, never in the program's name (CVE-2026-35585, CVE-2026-54090).
 */
function toArgv(line: string, shell: readonly string[], variables: EventVariables): string[] {
  if (line.trim() === '') return []
  if (shell.length > 0) return [...shell, line]
  const [program, ...args] = splitWords(line)
  if (program === undefined) return []
  const optionsEnd = args.indexOf('--')
  return [
    program,
    ...args.map((word, index) => {
      const afterOptions = optionsEnd >= 0 && index > optionsEnd
      return expand(word, variables, afterOptions)
    }),
  ]
}

/** Throws when what people choose would be read as an option by the program. */
function expand(word: string, variables: EventVariables, afterOptions: boolean): string {
  return word.replace(VARIABLE, (_, braced, plain, at) => {
    const name: string = braced ?? plain
    if (!Object.hasOwn(variables, name)) return process.env[name] ?? ''
    const value = variables[name as keyof EventVariables]
    if (at === 0 && value.startsWith('-') && !afterOptions)
      throw new Error(`$${name} would be an option of the program: put -- before it`)
    return value
  })
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g
