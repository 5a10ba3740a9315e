// `filebrowser folders`: what is said of folders, on the command line, also while the server runs.
import { resolve } from 'node:path'
import { setFolder } from '../../../access/set-folder.ts'
import type { GrantRecord } from '../../../access-types.ts'
import { parseSize } from '../../../config/option-values.ts'
import { AppError, badRequest } from '../../../lib/errors.ts'
import { readObject } from '../../../lib/parse.ts'
import { type PlaceText, parsePlace } from '../../../lib/places.ts'
import { VERBS } from '../../../lib/verbs.ts'
import {
  type Folder,
  parseFolder,
  parseWho,
  saysNothing,
} from '../../../store/access/folder-record.ts'
import { removeFolder } from '../../../store/access/folders.ts'
import type { Records } from '../../../store/collection.ts'
import { FOLDERS, GROUPS, USERS } from '../../../store/collections.ts'
import { findUser, findUserByName } from '../../../store/users.ts'
import { type Command, flag, flagValue, type Invocation, inContext } from '../../command.ts'
import { withDatabase } from '../../database.ts'
import { alignColumns } from '../../print.ts'
import { checkFormat, readExport, writeExport } from '../portable.ts'
import { plain } from '../user-table.ts'

const FILE = { usage: '<file.json|file.yaml>', minArgs: 1, check: checkFormat }

export const foldersCommand: Command = {
  name: 'folders',
  summary: 'Show and change who may do what in folders',
  about:
    'A place is /docs in the served folder, or photos:/2024 in the root photos. What is said holds below\n' +
    'it as well; docs/rights.md says whose word counts. A running server sees changes within a second.',
  commands: [
    { name: 'ls', summary: 'List what is said', run: list },
    {
      name: 'set',
      summary: 'Say what holds for a folder',
      usage: '<place>',
      about: 'Changes what flags are given for and leaves everything else.',
      examples: [
        {
          line: 'filebrowser folders set /docs --grant "everyone -create -modify -rename -delete"',
          says: 'Nobody changes /docs',
        },
        {
          line: 'filebrowser folders set /docs --grant "user:mona create modify rename delete"',
          says: 'But Mona does',
        },
      ],
      flags: [
        flag(
          'grant LIST',
          'Whom, and which verbs: everyone, user:NAME or group:NAME, then any of\n' +
            `${VERBS.join(', ')}, with a minus for no;\n` +
            'without a verb nothing is said of them any more; may be given more than once',
          { list: true },
        ),
        flag(
          'as NAME',
          'Its name at the top of the trees of those who are given it; empty for none',
        ),
        flag('quota SIZE', 'What it may hold, such as 10GB; none for no limit', {
          parse: quotaFrom,
        }),
      ],
      minArgs: 1,
      run: set,
    },
    {
      name: 'rm',
      summary: 'Say nothing of a folder any more',
      usage: '<place>',
      about: 'Removes what is said of a folder. The folder stays.',
      minArgs: 1,
      run: remove,
    },
    {
      ...FILE,
      name: 'export',
      summary: 'Write what is said of all folders to a file',
      about: 'Writes accounts and groups by name. "users export" and "groups export" write those.',
      run: exportFolders,
    },
    {
      ...FILE,
      name: 'import',
      summary: 'Read what is said of folders from a file',
      about:
        'Adds what is in a file made with "folders export". Either all of it is taken or nothing. Accounts\n' +
        'and groups must be here, by name.',
      flags: [flag('overwrite', 'Replace what is said of the same folders')],
      run: importFolders,
    },
  ],
}

function quotaFrom(text: string): number | null {
  return text === 'none' ? null : parseSize(text)
}

async function list(invocation: Invocation): Promise<number> {
  await withDatabase(invocation, async (store) => {
    const head = ['Place', 'As', 'Quota', 'Grants'].join('\t')
    const rows = await store.read((records) => rowsOf(records, records.all(FOLDERS)))
    invocation.stdout(`${alignColumns([head, ...rows]).join('\n')}\n`)
  })
  return 0
}

function rowsOf(records: Records, folders: readonly Folder[]): string[] {
  expectNamed(records, folders)
  return folders.map((folder) => rowOf(records, folder))
}

function expectNamed(records: Records, folders: readonly Folder[]): void {
  const all = folders.flatMap(({ grants }) => grants.flatMap(({ who }) => parseWho(who) ?? []))
  records.expect(USERS, () => all.flatMap(({ kind, id }) => (kind === 'user' ? id : [])))
}

function rowOf(records: Records, { place, as, quota, grants }: Folder): string {
  const words = grants.map(
    ({ who, ...said }) =>
      `${named(records, who)} ${VERBS.filter((verb) => said[verb] !== undefined)
        .map((verb) => (said[verb] ? verb : `-${verb}`))
        .join(' ')}`,
  )
  return [plain(place), plain(as) || '-', quota ?? '-', plain(words.join(', ')) || '-'].join('\t')
}

async function set(invocation: Invocation): Promise<number> {
  const { args, flags, stdout } = invocation
  const place = demandPlace(args[0] ?? '')
  const quota = flagValue<number | null>(flags, 'quota')
  const as = flagValue<string>(flags, 'as')
  await withDatabase(invocation, async (store) => {
    const folder = await store.transaction((tx) => {
      const before = tx.get(FOLDERS, place) ?? { place, as: '', quota: null, grants: [] }
      const given = (flagValue<string[]>(flags, 'grant') ?? []).map((text) => grantFrom(tx, text))
      const rest = before.grants.filter(({ who }) => given.every((one) => one.who !== who))
      const wanted = {
        ...before,
        ...(as !== undefined && { as }),
        ...(quota !== undefined && { quota }),
        grants: [...rest, ...given.filter((one) => Object.keys(one).length > 1)],
      }
      if (saysNothing(wanted)) throw badRequest('nothing would be said of it: use "folders rm"')
      return setFolder(store, tx, checked(wanted))
    })
    const [row] = await store.read((records) => rowsOf(records, [folder]))
    stdout(`${row}\n`)
  })
  return 0
}

async function remove(invocation: Invocation): Promise<number> {
  const place = demandPlace(invocation.args[0] ?? '')
  await withDatabase(invocation, (store) =>
    store.transaction((tx) => {
      if (!removeFolder(tx, place)) throw new AppError('not_found', `nothing is said of ${place}`)
    }),
  )
  return 0
}

async function exportFolders(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  await withDatabase(invocation, async (store) => {
    const folders = await store.read((records) => {
      const all = records.all(FOLDERS)
      expectNamed(records, all)
      return all.map((folder) => ({
        ...folder,
        grants: folder.grants.map((grant) => ({ ...grant, who: named(records, grant.who) })),
      }))
    })
    await writeExport(file, { folders })
  })
  return 0
}

async function importFolders(invocation: Invocation): Promise<number> {
  const file = resolve(invocation.cwd, invocation.args[0] ?? '')
  const overwrite = flagValue<boolean>(invocation.flags, 'overwrite') ?? false
  const given = await readExport(file)
  await withDatabase(invocation, (store) =>
    store.transaction((tx) =>
      inContext(file, () =>
        readObject(given, '').list('folders', (value, at) =>
          inContext(at, () => {
            const folder = value as { grants?: { who?: unknown }[] }
            const grants = (folder.grants ?? []).map((grant) => ({
              ...grant,
              who: whoFrom(tx, String(grant.who)),
            }))
            const wanted = checked({ ...folder, grants })
            if (!overwrite && tx.get(FOLDERS, wanted.place))
              throw badRequest(`something is said of ${wanted.place} already`)
            setFolder(store, tx, wanted)
          }),
        ),
      ),
    ),
  )
  return 0
}

function checked(folder: object): Folder {
  return parseFolder(readObject(folder, ''))
}

/** The place that an argument names. Throws `bad_request`. */
function demandPlace(text: string): PlaceText {
  const place = parsePlace(text)
  if (place === null) throw badRequest(`${text} is no place: it is /path or root:/path`)
  return place
}

/** `everyone -delete`, `user:mona see download`. */
function grantFrom(records: Records, text: string): GrantRecord {
  const [name = '', ...words] = text.trim().split(/\s+/)
  const said = words.map((word) => {
    const verb = VERBS.find((known) => known === word.replace(/^[-+]/, ''))
    if (!verb) throw badRequest(`${word} is none of ${VERBS.join(', ')}`)
    return [verb, !word.startsWith('-')]
  })
  return { who: whoFrom(records, name), ...Object.fromEntries(said) }
}

// A name counts before a number.
function whoFrom(records: Records, text: string): string {
  const [, kind, name = ''] = /^(user|group):(.+)$/s.exec(text) ?? []
  if (kind === undefined) return text
  const found =
    kind === 'user' ? findUserByName(records, name) : records.find(GROUPS, 'name', name)[0]
  if (!found && parseWho(text) === null) throw badRequest(`there is no ${kind} ${name}`)
  return found ? `${kind}:${found.id}` : text
}

function named(records: Records, text: string): string {
  const who = parseWho(text)
  if (!who || who.kind === 'everyone') return text
  const name =
    who.kind === 'user' ? findUser(records, who.id)?.username : records.get(GROUPS, who.id)?.name
  return name === undefined ? text : `${who.kind}:${name}`
}
