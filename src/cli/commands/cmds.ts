// `filebrowser cmds`: commands run before and after events.
import { SETTINGS } from '../../store/collections.ts'
import { EVENTS } from '../../store/document.ts'
import { type Command, flag, flagValue, type Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { checkIndexes, indexRange } from '../index-range.ts'

type EventCommands = Record<string, string[]>

const EVENT_NAMES = EVENTS.flatMap((event) => [`before_${event}`, `after_${event}`])

export const cmdsCommand: Command = {
  name: 'cmds',
  summary: 'Show and change event commands',
  about:
    'Event commands run before or after files change. They run only while commands are enabled\n' +
    '(--disableExec=false). The change waits for them, without a limit of time, unless the line ends\n' +
    'with &. The events, each with before_ or after_ in front:\n' +
    `${EVENTS.join(', ')}.`,
  commands: [
    {
      name: 'add',
      summary: 'Add a command to an event',
      usage: '<event> <command…>',
      examples: [
        {
          line: "filebrowser cmds add after_upload 'touch $FILE.done'",
          says: 'Mark uploaded files',
        },
      ],
      minArgs: 2,
      maxArgs: Number.POSITIVE_INFINITY,
      words: EVENT_NAMES,
      run: add,
    },
    {
      name: 'ls',
      summary: 'List the commands',
      flags: [flag('event EVENT', 'Only this event, without before_ or after_', { short: 'e' })],
      run: list,
    },
    {
      name: 'rm',
      summary: 'Remove commands by their numbers',
      usage: '<event> <index> [index_end]',
      minArgs: 2,
      maxArgs: 3,
      words: EVENT_NAMES,
      check: ([, ...indexes]) => checkIndexes(indexes),
      run: remove,
    },
  ],
}

async function change(
  invocation: Invocation,
  edit: (commands: EventCommands) => EventCommands,
): Promise<number> {
  const commands = await withDatabase(invocation, (store) =>
    store.transaction((tx) => {
      const next = edit(tx.settings().commands)
      tx.replace(SETTINGS, { ...tx.settings(), commands: next })
      return next
    }),
  )
  invocation.stdout(commandList(Object.entries(commands)))
  return 0
}

function add(invocation: Invocation): Promise<number> {
  const [event = '', ...words] = invocation.args
  if (!EVENT_NAMES.includes(event)) {
    invocation.notice(`warning: nothing ever raises the event ${event}`)
  }
  return change(invocation, (commands) => ({
    ...commands,
    [event]: [...(commands[event] ?? []), words.join(' ')],
  }))
}

async function list(invocation: Invocation): Promise<number> {
  const event = flagValue<string>(invocation.flags, 'event') ?? ''
  await withDatabase(invocation, async (store) => {
    const { commands } = store.settings()
    const names = event === '' ? Object.keys(commands) : [`before_${event}`, `after_${event}`]
    invocation.stdout(commandList(names.map((name) => [name, commands[name] ?? []])))
  })
  return 0
}

function remove(invocation: Invocation): Promise<number> {
  const [event = '', ...indexes] = invocation.args
  return change(invocation, (commands) => {
    const entries = commands[event] ?? []
    const [from, to] = indexRange(indexes, entries.length)
    return { ...commands, [event]: entries.filter((_, i) => i < from || i > to) }
  })
}

function commandList(events: readonly [string, string[]][]): string {
  return events
    .flatMap(([event, commands]) => commands.map((command, i) => `${event}(${i}): ${command}\n`))
    .join('')
}
