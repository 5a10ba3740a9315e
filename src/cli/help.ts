// Help that teaches: what a command is for, examples, then the flags by group with their
// environment names.
import { type Command, type Flag, flag, isSwitch } from './command.ts'
import { GLOBAL_FLAGS } from './flags.ts'

const WIDTH = 100
const INDENT = 2
/** Flags wider than this put their text on the next line. */
const MAX_FLAG_WIDTH = 34

/** Help of the last command of the path. */
export function helpText(path: readonly Command[]): string {
  const command = path.at(-1)
  if (!command) return ''
  const name = path.map((part) => part.name).join(' ')
  const sections = [
    `${command.about ?? `${command.summary}.`}\n`,
    `Usage:\n${usageLines(command, name)}`,
    commandSection(command),
    exampleSection(command),
    ...flagSections(command.flags ?? []),
    flagSection('Global options', [...GLOBAL_FLAGS, HELP_FLAG]),
    command.commands ? `'${name} <command> --help' tells more about a command.\n` : '',
  ]
  return sections.filter((section) => section !== '').join('\n')
}

const HELP_FLAG = flag('help', 'Show this help', { short: 'h' })

function usageLines(command: Command, name: string): string {
  const lines: string[] = []
  if (command.run)
    lines.push([name, command.usage ?? '', '[options]'].filter((part) => part !== '').join(' '))
  if (command.commands) lines.push(`${name} <command>`)
  return lines.map((line) => `  ${line}\n`).join('')
}

function commandSection({ commands = [] }: Command): string {
  const shown = commands.filter(({ hidden }) => !hidden)
  if (shown.length === 0) return ''
  const width = Math.max(...shown.map(({ name }) => name.length)) + 3
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(width)}${summary}\n`)
  return `Commands:\n${lines.join('')}`
}

function exampleSection({ examples = [] }: Command): string {
  if (examples.length === 0) return ''
  return `Examples:\n${examples.map(({ line, says }) => `  # ${says}\n  ${line}\n`).join('')}`
}

function flagSections(flags: readonly Flag[]): string[] {
  const groups = new Map<string, Flag[]>()
  for (const flag of flags) {
    const group = flag.group ?? 'Options'
    groups.set(group, [...(groups.get(group) ?? []), flag])
  }
  return [...groups].map(([group, list]) => flagSection(group, list))
}

function flagSection(title: string, flags: readonly Flag[]): string {
  const sorted = [...flags].sort((a, b) => (a.name < b.name ? -1 : 1))
  const heads = sorted.map(flagHead)
  const width = Math.min(MAX_FLAG_WIDTH, Math.max(...heads.map((head) => head.length))) + 2
  const lines = sorted.map((flag, i) => {
    const head = heads[i] ?? ''
    const text = wrap(flagText(flag), WIDTH - width - INDENT)
    const body = text.join(`\n${' '.repeat(width + INDENT)}`)
    const gap =
      head.length + 2 > width ? `\n${' '.repeat(width + INDENT)}` : ' '.repeat(width - head.length)
    return `${' '.repeat(INDENT)}${head}${gap}${body}\n`
  })
  return `${title}:\n${lines.join('')}`
}

function flagHead(flag: Flag): string {
  const short = flag.short ? `-${flag.short}, ` : '    '
  return `${short}--${flag.name}${flag.value ? ` ${flag.value}` : ''}`
}

/** What a flag does, its default and its environment name. */
function flagText(flag: Flag): string {
  const facts = [
    flag.default !== '' && !(isSwitch(flag) && flag.default === 'false')
      ? `default ${flag.default}`
      : '',
    flag.env?.[0] ? `env ${flag.env[0]}` : '',
  ].filter((fact) => fact !== '')
  return facts.length === 0 ? flag.help : `${flag.help} (${facts.join(', ')})`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
