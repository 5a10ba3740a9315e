// Shell completion: short scripts that ask the hidden `__complete` command for candidates.
import { type Command, type Flag, flag, isSwitch } from '../command.ts'
import { GLOBAL_FLAGS } from '../flags.ts'
import { findCommand, flagNamed } from '../parse-args.ts'
import { SHELL_SCRIPTS, type ShellName } from './completion-scripts.ts'

/** What the shell does besides the candidates; the bits are the original's. */
const DIRECTIVE = { default: 0, noFiles: 4 } as const

const HELP = flag('help', 'Show help', { short: 'h' })

export const completionCommand: Command = {
  name: 'completion',
  summary: 'Print a completion script for your shell',
  commands: (Object.keys(SHELL_SCRIPTS) as ShellName[]).map((shell) => ({
    name: shell,
    summary: `Completion for ${shell}`,
    about: `Prints a completion script for ${shell}.`,
    examples: [SHELL_SCRIPTS[shell].install],
    flags: [flag('no-descriptions', 'Offer words without their descriptions')],
    async run({ flags, stdout }) {
      const bare = flags.get('no-descriptions')?.value === true
      stdout(SHELL_SCRIPTS[shell].script(bare ? '__completeNoDesc' : '__complete'))
      return 0
    },
  })),
}

/** The hidden commands behind the scripts. */
export function completeCommands(root: () => Command): Command[] {
  return (['__complete', '__completeNoDesc'] as const).map((name) => ({
    name,
    summary: 'Candidates for completion',
    hidden: true,
    raw: true,
    maxArgs: Number.POSITIVE_INFINITY,
    async run({ args, stdout, stderr }) {
      const { candidates, directive } = complete(root(), args)
      const lines = candidates.map(([word, description]) =>
        name === '__complete' && description ? `${word}\t${description}\n` : `${word}\n`,
      )
      stdout(`${lines.join('')}:${directive}\n`)
      stderr(`Completion ended with directive ${directive}\n`)
      return 0
    },
  }))
}

type Candidate = readonly [word: string, description: string]

/** Candidates for the last word; the words before it are complete. Pure. */
export function complete(
  root: Command,
  words: readonly string[],
): { candidates: Candidate[]; directive: number } {
  // PowerShell before 7.3 loses an empty word, so its script sends quotes, which later ones keep.
  const last = words.at(-1) ?? ''
  const current = last === '""' ? '' : last
  const before = words.slice(0, -1)
  const { path, rest } = findCommand(root, before, GLOBAL_FLAGS)
  const command = path.at(-1) ?? root
  const flags = [...(command.flags ?? []), ...GLOBAL_FLAGS, HELP]
  const open = flagBefore(before, flags)
  if (open) return { candidates: matching(valuesOf(open), current), directive: DIRECTIVE.default }
  const inline = before.includes('--') ? null : /^--([^=]+)=/.exec(current)
  if (inline) {
    const named = flagNamed(flags, inline[1] ?? '')
    const values = named ? valuesOf(named) : []
    return {
      candidates: matching(
        values.map(([value]) => [inline[0] + value, ''] as const),
        current,
      ),
      directive: !named || isSwitch(named) ? DIRECTIVE.noFiles : DIRECTIVE.default,
    }
  }
  if (current.startsWith('-')) {
    const names: Candidate[] = flags.map(({ name, help }) => [`--${name}`, help])
    return { candidates: matching(names, current), directive: DIRECTIVE.noFiles }
  }
  const shown = (command.commands ?? []).filter(({ hidden }) => !hidden)
  const children: Candidate[] = shown.map(({ name, summary }) => [name, summary])
  const words2: Candidate[] =
    rest.length === 0 ? (command.words ?? []).map((word) => [word, '']) : []
  const candidates = matching([...children, ...words2], current)
  const wantsFiles = candidates.length === 0 && /file|\.db|folder/.test(command.usage ?? '')
  return { candidates, directive: wantsFiles ? DIRECTIVE.default : DIRECTIVE.noFiles }
}

// The flag whose value comes next, when the last complete word is one without `=`.
function flagBefore(before: readonly string[], flags: readonly Flag[]): Flag | undefined {
  const last = before.at(-1) ?? ''
  if (before.includes('--') || !last.startsWith('-') || last.includes('=')) return undefined
  const flag = last.startsWith('--')
    ? flagNamed(flags, last.slice(2))
    : flags.find(({ short }) => short === last[1] && last.length === 2)
  return flag && !isSwitch(flag) ? flag : undefined
}

const VALUES: Record<string, readonly string[]> = {
  log: ['stdout', 'stderr'],
  logFormat: ['text', 'json'],
  'auth.method': ['json', 'proxy', 'hook', 'noauth'],
  'branding.theme': ['light', 'dark'],
  'sorting.by': ['name', 'size', 'modified'],
  viewMode: ['list', 'mosaic', 'mosaic gallery'],
}

function valuesOf(flag: Flag): Candidate[] {
  if (isSwitch(flag))
    return [
      ['false', ''],
      ['true', ''],
    ]
  return (VALUES[flag.name] ?? []).map((value) => [value, ''])
}

function matching(candidates: readonly Candidate[], prefix: string): Candidate[] {
  return candidates.filter(([word]) => word.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
}
