// From the words of the command line to an exit code: finds the command, reads its flags, runs it,
// and turns failures into the one line on stderr that scripts know.
import { AppError, badRequest } from '../lib/errors.ts'
import { ParseError } from '../lib/parse.ts'
import type { Command, Flag } from './command.ts'
import { GLOBAL_FLAGS } from './flags.ts'
import { helpText } from './help.ts'
import { closest, findCommand, parseArgs } from './parse-args.ts'
import type { ServeInvocation } from './serve.ts'

interface Surroundings extends Omit<ServeInvocation, 'command' | 'args' | 'flags'> {
  /** Without the name of the program. */
  words: readonly string[]
}

/** Runs one command line, of the commands below `root`. Never throws for what a user can cause; returns the exit code. */
export async function runCommandLine(root: Command, surroundings: Surroundings): Promise<number> {
  try {
    return await dispatch(root, surroundings)
  } catch (error) {
    const expected =
      error instanceof AppError || error instanceof ParseError || isSystemError(error)
    const text = expected ? (error as Error).message : ((error as Error).stack ?? String(error))
    surroundings.stderr(`Error: ${text}\n`)
    return expected ? 1 : 2
  }
}

// What the system refuses (a full disk, a missing right) is the operator's matter, not a defect:
// Node's text names errno, call and path.
function isSystemError(error: unknown): boolean {
  const { errno, syscall } = (error ?? {}) as NodeJS.ErrnoException
  return typeof errno === 'number' && typeof syscall === 'string'
}

async function dispatch(root: Command, surroundings: Surroundings): Promise<number> {
  const { words, stdout, stderr, notice } = surroundings
  const { path, rest } = findCommand(root, words, GLOBAL_FLAGS)
  const command = path.at(-1) ?? root
  if (command.raw) {
    // Completion asks about unfinished words: they are not flags of this command.
    const at = words.indexOf(command.name)
    const args = words.slice(at + 1)
    return command.run?.({ ...surroundings, command: nameOf(path), args, flags: new Map() }) ?? 0
  }
  const flags: readonly Flag[] = [...(command.flags ?? []), ...GLOBAL_FLAGS]
  const parsed = parseArgs(rest, flags)
  if (parsed.help) {
    stdout(helpText(path))
    return 0
  }
  const [unknown] = parsed.args
  if (command === root && unknown !== undefined) {
    stderr(unknownCommand(root, unknown))
    return 1
  }
  if (!command.run) {
    stdout(helpText(path))
    return 0
  }
  checkArguments(command, parsed.args)
  for (const { old, name } of parsed.deprecations) notice(`--${old} is an old name, use --${name}`)
  const { args, flags: given } = parsed
  return command.run({ ...surroundings, command: nameOf(path), args, flags: given })
}

// Without the name of the program.
function nameOf(path: readonly Command[]): string {
  return path
    .slice(1)
    .map(({ name }) => name)
    .join(' ')
}

function unknownCommand(root: Command, word: string): string {
  const names = (root.commands ?? []).filter(({ hidden }) => !hidden).map(({ name }) => name)
  const near = closest(word, names)
  const hint =
    near.length > 0 ? `\n\nDid you mean:\n${near.map((name) => `  ${name}\n`).join('')}` : '\n'
  return `Error: unknown command "${word}" for "${root.name}"${hint}\nRun '${root.name} --help' for the list.\n`
}

function checkArguments(
  { minArgs = 0, maxArgs = minArgs, check, usage }: Command,
  args: readonly string[],
): void {
  if (args.length < minArgs || args.length > maxArgs) {
    const accepted =
      maxArgs === Number.POSITIVE_INFINITY
        ? `at least ${minArgs}`
        : minArgs === maxArgs
          ? `${minArgs}`
          : `${minArgs} to ${maxArgs}`
    throw badRequest(
      `expected ${accepted} argument(s)${usage ? ` (${usage})` : ''}, received ${args.length}`,
    )
  }
  check?.(args)
}
