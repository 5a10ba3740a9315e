// `filebrowser rules`: who may see which path, for everybody or for one account.
import { checkRules } from '../../access/rules.ts'
import type { Rule } from '../../api-types.ts'
import { integerBetween } from '../../config/option-values.ts'
import { AppError, badRequest } from '../../lib/errors.ts'
import type { Records, Transaction } from '../../store/collection.ts'
import { SETTINGS } from '../../store/collections.ts'
import { findUser, replaceUser } from '../../store/users.ts'
import { type Command, type Flag, flag, flagValue, type Invocation } from '../command.ts'
import { withDatabase } from '../database.ts'
import { checkIndexes, indexRange } from '../index-range.ts'
import { userNamed } from './user-table.ts'

const TARGET_FLAGS: readonly Flag[] = [
  flag('username NAME', 'Rules of this account instead of the rules for all', { short: 'u' }),
  flag('id NUMBER', 'The same by id; wins over --username', {
    short: 'i',
    parse: integerBetween(0),
    default: '0',
  }),
]

export const rulesCommand: Command = {
  name: 'rules',
  summary: 'Show and change rules for paths',
  about:
    'Rules hide paths or show them again. The last rule that matches decides; rules of an account\n' +
    'come after the rules for all. A path matches itself and everything below it; expressions are\n' +
    'RE2 and match anywhere in the path.',
  commands: [
    {
      name: 'add',
      summary: 'Add a rule at the end',
      usage: '<path|expression>',
      examples: [
        { line: 'filebrowser rules add /private', says: 'Hide /private from everybody' },
        { line: 'filebrowser rules add --allow /private -u mona', says: 'Show it to mona' },
        { line: "filebrowser rules add --regex '\\.key$'", says: 'Hide key files' },
      ],
      flags: [
        flag('allow', 'Show instead of hide', { short: 'a' }),
        flag('regex', 'The argument is a regular expression', { short: 'r' }),
        ...TARGET_FLAGS,
      ],
      minArgs: 1,
      run: add,
    },
    { name: 'ls', summary: 'List the rules', flags: TARGET_FLAGS, run: list },
    {
      name: 'rm',
      summary: 'Remove rules by their numbers',
      usage: '<index> [index_end]',
      about: 'Removes the rules from index to index_end, both included, as "rules ls" counts them.',
      flags: [
        flag(
          'index NUMBER',
          'Needed by the original; used here when no index is given as an argument',
          { parse: integerBetween(0), default: '0' },
        ),
        ...TARGET_FLAGS,
      ],
      maxArgs: 2,
      check: checkIndexes,
      run: remove,
    },
  ],
}

interface Target {
  title: string
  rules: readonly Rule[]
  /** Puts other rules in this place. */
  put(tx: Transaction, rules: Rule[]): void
}

function targetOf(records: Records, { flags }: Invocation): Target {
  const id = flagValue<number>(flags, 'id') ?? 0
  const username = flagValue<string>(flags, 'username') ?? ''
  if (id === 0 && username === '') {
    return {
      title: 'Global Rules:',
      rules: records.settings().rules,
      put: (tx, rules) => tx.replace(SETTINGS, { ...tx.settings(), rules }),
    }
  }
  const user = id === 0 ? userNamed(records, username) : findUser(records, id)
  if (!user) throw new AppError('not_found', 'the resource does not exist')
  return {
    title: `Rules for user ${id === 0 ? username : id}:`,
    rules: user.rules,
    put: (tx, rules) => replaceUser(tx, { ...user, rules }),
  }
}

async function change(
  invocation: Invocation,
  edit: (rules: readonly Rule[]) => Rule[],
): Promise<number> {
  const text = await withDatabase(invocation, (store) =>
    store.transaction((tx) => {
      const target = targetOf(tx, invocation)
      const rules = edit(target.rules)
      target.put(tx, rules)
      return ruleList(target.title, rules)
    }),
  )
  invocation.stdout(text)
  return 0
}

function add(invocation: Invocation): Promise<number> {
  const { args, flags } = invocation
  const [value = ''] = args
  const regex = flagValue<boolean>(flags, 'regex') ?? false
  const rule: Rule = {
    regex,
    allow: flagValue<boolean>(flags, 'allow') ?? false,
    path: regex ? '' : value,
    regexp: regex ? { raw: value } : null,
  }
  checkRules([rule])
  return change(invocation, (rules) => [...rules, rule])
}

async function list(invocation: Invocation): Promise<number> {
  await withDatabase(invocation, async (store) => {
    const { title, rules } = await store.read((records) => targetOf(records, invocation))
    invocation.stdout(ruleList(title, rules))
  })
  return 0
}

function remove(invocation: Invocation): Promise<number> {
  const { args, flags } = invocation
  const flagIndex = flagValue<number>(flags, 'index')
  if (args.length === 0 && flagIndex === undefined)
    throw badRequest('say which rule: an index as "rules ls" shows it')
  return change(invocation, (rules) => {
    const [from, to] = indexRange(args.length === 0 ? [String(flagIndex)] : args, rules.length)
    return rules.filter((_, i) => i < from || i > to)
  })
}

function ruleList(title: string, rules: readonly Rule[]): string {
  const lines = rules.map((rule, i) => {
    const verb = rule.allow ? 'Allow' : 'Disallow'
    const kind = rule.regex ? 'Regex' : 'Path'
    return `(${i}) ${verb} ${kind}: \t${rule.regex ? (rule.regexp?.raw ?? '') : rule.path}\n`
  })
  return `${title}\n\n${lines.join('')}`
}
