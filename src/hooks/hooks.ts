// What happens around a change: the administrator's event commands and webhooks. Every change of
// content goes through `around`, which is where previews of what was go with it.
import { join, posix, sep } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Scope } from '../files/place/scope.ts'
import type { Previews } from '../files/preview/previews.ts'
import { AppError } from '../lib/errors.ts'
import type { Logger } from '../lib/log.ts'
import type { VPath } from '../lib/vpath.ts'
import { splitWords } from '../programs/command-line.ts'
import type { Programs } from '../programs/runner.ts'
import type { EventName, Settings, User } from '../store/document.ts'
import type { Store } from '../store/store.ts'
import { createWebhooks, webhookSecretOf } from './webhooks.ts'

export interface Change {
  event: EventName
  user: User
  scope: Scope
  vpath: VPath
  destination?: VPath
}

export interface Hooks {
  /**
   * Runs the before-commands, the work and the after-commands. A failing command is `command_failed`:
   * before the work it prevents it, after it the work stays done. With `again`, for work that was
   * begun once and failed, the before-commands do not run a second time.
   */
  around<T>(change: Change, work: () => Promise<T>, options?: { again?: boolean }): Promise<T>
  close(): void
}

export interface HookServices {
  config: Config
  store: Store
  log: Logger
  programs: Programs
  previews: Pick<Previews, 'forget' | 'mayHoldAny'>
}

export function createHooks({ config, store, log, programs, previews }: HookServices): Hooks {
  const secret = () => webhookSecretOf(config.webhookSecret, store.read().settings.key)
  const webhooks = createWebhooks(secret, log)

  const fire = async (change: Change, trigger: string) => {
    const { settings } = store.read()
    if (settings.webhooks.length > 0)
      webhooks.send(settings.webhooks, {
        trigger,
        path: change.vpath,
        destination: change.destination ?? '',
        username: change.user.username,
        time: new Date().toISOString(),
      })
    const lines = config.enableExec ? (settings.commands[trigger] ?? []) : []
    if (lines.length === 0) return
    const variables = variablesOf(config.root, change, trigger)
    for (const line of lines) await runLine(line, settings, variables, programs, log)
  }

  return {
    around: async (change, work, { again = false } = {}) => {
      if (!again) await fire(change, `before_${change.event}`)
      const replaced = previews.mayHoldAny() ? await placesOf(change) : []
      // A change that failed may have got halfway.
      const result = await work().finally(() => previews.forget(replaced))
      await fire(change, `after_${change.event}`)
      return result
    },
    close: () => webhooks.close(),
  }
}

/** Host paths of what is there before the change, and may not be afterwards. */
async function placesOf({ event, scope, vpath, destination }: Change): Promise<string[]> {
  const changed = [...(event === 'copy' ? [] : [vpath]), ...(destination ? [destination] : [])]
  const places = changed.flatMap((path) => [
    scope.entryPath(path),
    // Through a link the file behind it is written.
    ...(event === 'save' || event === 'upload' ? [scope.hostPath(path)] : []),
  ])
  const found = await Promise.allSettled(places)
  // What cannot be located is not there, or the change itself will say why.
  const paths = found.flatMap((place) => (place.status === 'fulfilled' ? [place.value] : []))
  return [...new Set(paths)]
}

type Variables = Record<'FILE' | 'SCOPE' | 'TRIGGER' | 'USERNAME' | 'DESTINATION', string>

/** Paths as they were given: a served folder that is a link stays one. */
function variablesOf(root: string, change: Change, trigger: string): Variables {
  // A scope cannot climb out of the root.
  const host = (vpath: VPath) =>
    withoutEnd(join(root, posix.join('/', change.user.scope.trim(), vpath)))
  return {
    FILE: host(change.vpath),
    SCOPE: change.user.scope,
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
  variables: Variables,
  programs: Programs,
  log: Logger,
): Promise<void> {
  const background = line.trimEnd().endsWith('&')
  const text = background ? line.trimEnd().slice(0, -1).trimEnd() : line
  const argv = argvOf(text, settings, variables)
  if (argv.length === 0) return
  const told = createOutputLog(variables.TRIGGER, log)
  const startedMs = performance.now()
  // No limit of time or output: a command may convert films for hours, as it could before.
  const failed = (how: string, cause?: unknown) =>
    new AppError('command_failed', `${variables.TRIGGER}: ${argv[0]} ${how}`, { cause })
  const running = programs
    .run(argv, {
      env: variables,
      stdin: JSON.stringify(variables),
      untilExit: true,
      onStdout: told.stream(),
      onStderr: told.stream(),
    })
    .then(
      ({ exitCode, ended }) => {
        told.end()
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1)
        const end = `ended with ${ended ?? exitCode ?? 'a signal'}`
        log.info(`${variables.TRIGGER}: ${argv[0]} ${end} after ${seconds} s`)
        if (exitCode !== 0) throw failed(end)
      },
      (error: Error) => {
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

/** Logs what a command prints, line by line, the first lines of it. */
function createOutputLog(trigger: string, log: Logger) {
  let lines = 0
  const rests: (() => void)[] = []
  const add = (line: string) => {
    lines += 1
    if (lines <= MAX_LOGGED_LINES) log.info(`${trigger}: | ${line.slice(0, MAX_LINE_CHARS)}`)
    else if (lines === MAX_LOGGED_LINES + 1) log.info(`${trigger}: | further lines are not logged`)
  }
  return {
    stream: () => {
      const decoder = new TextDecoder()
      let rest = ''
      const flush = () => {
        if (rest !== '') add(rest)
        rest = ''
      }
      rests.push(flush)
      return (chunk: Buffer) => {
        if (lines > MAX_LOGGED_LINES) return
        const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
        // Of a line without an end the beginning is kept.
        rest = (rest + first).slice(0, MAX_LINE_CHARS)
        for (const text of others) {
          add(rest.replace(/\r$/, ''))
          rest = text.slice(0, MAX_LINE_CHARS)
        }
      }
    },
    end: () => {
      for (const flush of rests) flush()
    },
  }
}

// A line that cannot be read is the administrator's mistake, not that of the client.
function argvOf(line: string, { shell }: Settings, variables: Variables): string[] {
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
function toArgv(line: string, shell: readonly string[], variables: Variables): string[] {
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
function expand(word: string, variables: Variables, afterOptions: boolean): string {
  return word.replace(VARIABLE, (_, braced, plain, at) => {
    const name: string = braced ?? plain
    if (!Object.hasOwn(variables, name)) return process.env[name] ?? ''
    const value = variables[name as keyof Variables]
    if (at === 0 && value.startsWith('-') && !afterOptions)
      throw new Error(`$${name} would be an option of the program: put -- before it`)
    return value
  })
}

const VARIABLE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g
