// What happens around a change: the administrator's event commands and webhooks. Every change of
// content goes through `around`.
import { join } from 'node:path'
import { splitWords } from './command-line.ts'
import type { Config } from './config.ts'
import { AppError } from './errors.ts'
import type { Scope } from './files/scope.ts'
import type { VPath } from './files/vpath.ts'
import type { Logger } from './log.ts'
import type { Programs } from './runner.ts'
import type { EventName, Settings, User } from './store/document.ts'
import type { Store } from './store/store.ts'
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

export function createHooks(config: Config, store: Store, log: Logger, programs: Programs): Hooks {
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
    const variables = await variablesOf(change, trigger)
    for (const line of lines) await runLine(line, settings, variables, programs, log)
  }

  return {
    around: async (change, work, { again = false } = {}) => {
      if (!again) await fire(change, `before_${change.event}`)
      const result = await work()
      await fire(change, `after_${change.event}`)
      return result
    },
    close: () => webhooks.close(),
  }
}

type Variables = Record<'FILE' | 'SCOPE' | 'TRIGGER' | 'USERNAME' | 'DESTINATION', string>

async function variablesOf(change: Change, trigger: string): Promise<Variables> {
  const root = await change.scope.rootPath()
  const host = (vpath: VPath) => (vpath === '/' ? root : join(root, vpath))
  return {
    FILE: host(change.vpath),
    SCOPE: root,
    TRIGGER: trigger,
    USERNAME: change.user.username,
    DESTINATION: host(change.destination ?? ('/' as VPath)),
  }
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
  // No limit of time or output: a command may convert films for hours, as it could before.
  const stdin = JSON.stringify(variables)
  const failed = (how: string, cause?: unknown) =>
    new AppError('command_failed', `${variables.TRIGGER}: ${argv[0]} ${how}`, { cause })
  const running = programs.run(argv, { env: variables, stdin }).then(
    ({ exitCode, ended }) => {
      if (exitCode !== 0) throw failed(`ended with ${ended ?? exitCode}`)
    },
    (error: unknown) => {
      throw failed('cannot be started', error)
    },
  )
  if (!background) return await running
  running.catch((error: Error) => log.warn(`${variables.TRIGGER}: ${error.message}`))
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
 * carries values; without one `$NAME` and `${NAME}` are replaced inside arguments, never in the
 * program's name (CVE-2026-35585, CVE-2026-54090).
 */
function toArgv(
  line: string,
  shell: readonly string[],
  variables: Record<string, string>,
): string[] {
  if (line.trim() === '') return []
  if (shell.length > 0) return [...shell, line]
  const [program, ...args] = splitWords(line)
  if (program === undefined) return []
  return [program, ...args.map((word) => expand(word, variables))]
}

function expand(word: string, variables: Record<string, string>): string {
  return word.replace(/\$(?:\{(\w+)\}|(\w+))/g, (whole, braced, plain) => {
    const name = braced ?? plain
    return Object.hasOwn(variables, name) ? (variables[name] ?? '') : whole
  })
}
