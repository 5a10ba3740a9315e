// What a subcommand is: a plain description that parsing, help, completion and docs all read.
import type { FlagValue } from '../config/config.ts'
import { AppError } from '../lib/errors.ts'

export interface Flag {
  name: string
  short?: string
  /** Word for the value in help; absent for booleans. */
  value?: string
  /** Text to value; throws an Error that says what was expected. */
  parse: (text: string) => unknown
  /** As it would be typed; shown in help. */
  default: string
  help: string
  /** Heading in help. */
  group?: string
  /** Environment names, shown in help; reading them is up to config.ts. */
  env?: readonly string[]
  deprecated?: readonly string[]
  /** Every occurrence adds to the list instead of replacing the value. */
  list?: true
}

/**
 * A flag: `name`, which is a switch, or `name VALUE`, which takes text and is empty by default; `own` is what
 * it has besides.
 */
export function flag(head: string, help: string, own: Partial<Flag> = {}): Flag {
  const [name = '', value] = head.split(' ')
  if (value === undefined) return { name, parse: String, default: 'false', help, ...own }
  return { name, value, parse: String, default: '', help, ...own }
}

/** Flags under one heading. */
export function grouped(group: string, flags: readonly Flag[]): Flag[] {
  return flags.map((flag) => ({ ...flag, group }))
}

export interface Example {
  line: string
  says: string
}

/** Everything a command may know of the outside; main.ts makes it, tests make their own. */
export interface Invocation {
  stdout(text: string): void
  stderr(text: string): void
  /** The words that name the command: `users add`. */
  command: string
  /** Words after the command. */
  args: readonly string[]
  /** Flags given, by name. */
  flags: ReadonlyMap<string, FlagValue>
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  /** Home folder of the caller, empty when unknown. */
  home: string
  /** Diagnostics: one time-stamped line on stderr. */
  notice(message: string): void
}

export interface Command {
  name: string
  /** One line for lists. */
  summary: string
  /** Positional arguments as help shows them, such as `<username> <password>`. */
  usage?: string
  /** Paragraphs of help. */
  about?: string
  examples?: readonly Example[]
  minArgs?: number
  maxArgs?: number
  flags?: readonly Flag[]
  commands?: readonly Command[]
  hidden?: true
  /** Flags are not read: every word is an argument. */
  raw?: true
  /** Words after the command that completion offers for the first argument. */
  words?: readonly string[]
  /** Checks of the arguments that need no database. Throws AppError. */
  check?: (args: readonly string[]) => void
  /** Returns the exit code; absent for groups, which print their help. */
  run?: (invocation: Invocation) => Promise<number>
}

/** Typed reading of given flags. */
export function flagValue<T>(flags: ReadonlyMap<string, FlagValue>, name: string): T | undefined {
  return flags.get(name)?.value as T | undefined
}

/** Runs a check; its refusal says `where` it concerns. Throws AppError `bad_request`. */
export function inContext(where: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw new AppError('bad_request', `${where}: ${(error as Error).message}`, { cause: error })
  }
}

/** True when the bare flag means true. */
export function isSwitch(flag: Flag): boolean {
  return flag.value === undefined
}
