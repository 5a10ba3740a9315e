// The command line grammar: GNU style flags mixed with arguments, `--` ends flags. Pure.
import type { FlagValue } from '../config/config.ts'
import { parseBoolean, parseCsvLine } from '../config/option-values.ts'
import { type AppError, badRequest } from '../lib/errors.ts'
import { type Command, type Flag, isSwitch } from './command.ts'

interface ChosenCommand {
  /** From the root command down to the chosen one. */
  path: readonly Command[]
  /** The words without the names of the commands. */
  rest: readonly string[]
}

interface Parsed {
  args: readonly string[]
  flags: ReadonlyMap<string, FlagValue>
  /** True when -h or --help was given; then nothing else is checked. */
  help: boolean
  /** Deprecated spellings used, each with its replacement, once per name. */
  deprecations: readonly { old: string; name: string }[]
}

/** Walks down the tree along the first words that are not flags or their values. */
export function findCommand(
  root: Command,
  words: readonly string[],
  global: readonly Flag[],
): ChosenCommand {
  const path = [root]
  const rest: string[] = []
  let command = root
  let searching = true
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (!searching) {
      rest.push(word)
    } else if (word === '--') {
      searching = false
      rest.push(word)
    } else if (isFlagWord(word)) {
      rest.push(word)
      if (takesNextWord(word, [...(command.flags ?? []), ...global]) && at + 1 < words.length) {
        at += 1
        rest.push(words[at] ?? '')
      }
    } else {
      const child = command.commands?.find(({ name }) => name === word)
      if (child) {
        command = child
        path.push(child)
      } else {
        searching = false
        rest.push(word)
      }
    }
  }
  return { path, rest }
}

function isFlagWord(word: string): boolean {
  return word.length > 1 && word.startsWith('-')
}

// Unknown flags are taken to have a value, so that the error names the flag and not its value.
function takesNextWord(word: string, flags: readonly Flag[]): boolean {
  if (word.includes('=')) return false
  if (word.startsWith('--')) {
    const flag = flagNamed(flags, word.slice(2))
    return word !== '--help' && (!flag || !isSwitch(flag))
  }
  if (word === '-h') return false
  const flag = flags.find(({ short }) => short === word[1])
  return word.length === 2 && (!flag || !isSwitch(flag))
}

export function flagNamed(flags: readonly Flag[], name: string): Flag | undefined {
  return flags.find((flag) => flag.name === name || flag.deprecated?.includes(name))
}

/** Reads flags and arguments of one command. Throws AppError naming the offending word. */
export function parseArgs(words: readonly string[], flags: readonly Flag[]): Parsed {
  const args: string[] = []
  const given = new Map<string, FlagValue>()
  const deprecations = new Map<string, string>()
  let help = false

  function put(flag: Flag, text: string, shown: string): void {
    const value = readValue(flag, text, shown)
    if (!flag.list) {
      given.set(flag.name, { value, text })
      return
    }
    const before = given.get(flag.name)
    given.set(flag.name, {
      value: [...((before?.value as string[] | undefined) ?? []), ...(value as string[])],
      text: before ? `${before.text},${text}` : text,
    })
  }

  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const next = () => {
      at += 1
      return at < words.length ? (words[at] ?? '') : undefined
    }
    if (word === '--') {
      args.push(...words.slice(at + 1))
      break
    }
    if (!isFlagWord(word)) args.push(word)
    else if (word.startsWith('--')) readLong(word, next)
    else readShort(word, next)
  }

  function readLong(word: string, next: () => string | undefined): void {
    const equals = word.indexOf('=')
    const name = equals < 0 ? word.slice(2) : word.slice(2, equals)
    if (name === 'help') {
      help = equals < 0 || switchValue(word.slice(equals + 1), '--help')
      return
    }
    const flag = flagNamed(flags, name)
    if (!flag) throw unknownFlag(`--${name}`, flags, name)
    if (flag.name !== name) deprecations.set(name, flag.name)
    const inline = equals < 0 ? undefined : word.slice(equals + 1)
    const text = inline ?? (isSwitch(flag) ? 'true' : next())
    if (text === undefined) throw badRequest(`--${name} needs a value`)
    put(flag, text, `--${name}`)
  }

  function readShort(word: string, next: () => string | undefined): void {
    for (let i = 1; i < word.length; i++) {
      const letter = word[i] ?? ''
      const remainder = word.slice(i + 1)
      if (letter === 'h' && !flags.some(({ short }) => short === 'h')) {
        help = true
        continue
      }
      const flag = flags.find(({ short }) => short === letter)
      if (!flag) {
        const where = word.length > 2 ? ` in ${word}` : ''
        throw badRequest(`unknown flag -${letter}${where}`)
      }
      if (isSwitch(flag)) {
        const inline = remainder.startsWith('=')
        put(flag, inline ? remainder.slice(1) : 'true', `-${letter}`)
        if (inline) return
        continue
      }
      const text = remainder === '' ? next() : remainder.replace(/^=/, '')
      if (text === undefined) throw badRequest(`-${letter} needs a value`)
      put(flag, text, `-${letter}`)
      return
    }
  }

  return {
    args,
    flags: given,
    help,
    deprecations: [...deprecations].map(([old, name]) => ({ old, name })),
  }
}

function readValue(flag: Flag, text: string, shown: string): unknown {
  try {
    if (flag.list) return parseCsvLine(text)
    return isSwitch(flag) ? parseBoolean(text) : flag.parse(text)
  } catch (error) {
    const value = /secret|password/i.test(flag.name) ? '' : `"${text}" `
    throw badRequest(`${shown}: ${value}is not valid, ${(error as Error).message}`)
  }
}

function switchValue(text: string, shown: string): boolean {
  try {
    return parseBoolean(text)
  } catch (error) {
    throw badRequest(`${shown}: ${(error as Error).message}`)
  }
}

function unknownFlag(shown: string, flags: readonly Flag[], name: string): AppError {
  const near = closest(
    name,
    flags.map((flag) => flag.name),
  )
  const hint = near.length > 0 ? `; did you mean --${near[0]}?` : ''
  return badRequest(`unknown flag ${shown}${hint}`)
}

/** Known words within two edits of `word`, or that begin with it, nearest first. */
export function closest(word: string, known: readonly string[]): string[] {
  const folded = word.toLowerCase()
  return known
    .map((candidate) => ({ candidate, distance: editDistance(folded, candidate.toLowerCase()) }))
    .filter(
      ({ candidate, distance }) => distance <= 2 || candidate.toLowerCase().startsWith(folded),
    )
    .sort((a, b) => a.distance - b.distance)
    .map(({ candidate }) => candidate)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
