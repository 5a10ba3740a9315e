// Operations on groups and records of folders, and what travels of them.
import { VERBS } from '../lib/verbs.ts'
import { call, type Group, operations } from './operations.ts'
import {
  choice,
  empty,
  failures,
  flag,
  inPath,
  integer,
  json,
  jsonBody,
  list,
  object,
  orNull,
  query,
  ref,
  required,
  text,
} from './shorthands.ts'
import type { Schema } from './types.ts'

const GROUPS: Group = {
  tag: 'Groups',
  inPath: { id: inPath('id', 'Number of the group.', integer()) },
}

export const ACCESS_PATHS = operations(GROUPS, {
  'GET /api/groups': call('listGroups', 'All groups, for administrators', {
    answers: { 200: json(list(ref('Group'))), ...failures(403) },
  }),
  'POST /api/groups': call('createGroup', 'Make a group, for administrators', {
    description: 'All but the name may be absent.',
    body: jsonBody(ref('GroupChange')),
    answers: { 201: json(ref('Group')), ...failures(400, 403, 409) },
  }),
  'GET /api/groups/{id}': call('readGroup', 'One group, for administrators', {
    answers: { 200: json(ref('Group')), ...failures(403, 404) },
  }),
  'PUT /api/groups/{id}': call('changeGroup', 'Change a group, for administrators', {
    description: 'What is absent stays as it is. It holds from the next request of each member on.',
    body: jsonBody(ref('GroupChange')),
    answers: { 200: json(ref('Group')), ...failures(400, 403, 404, 409) },
  }),
  'DELETE /api/groups/{id}': call('deleteGroup', 'Delete a group, for administrators', {
    body: jsonBody(object({ 'current_password?': text('With the method json.') })),
    answers: { 204: empty('Deleted.'), ...failures(400, 403, 404) },
  }),
})

const VERDICT = object({
  allowed: flag(),
  by: object({
    kind: choice(['account', 'group', 'everyone', 'rule', 'permission', 'default', 'see', 'home']),
    'place?': text('Of the record that decided.'),
    'group?': object({ id: integer(), name: text() }),
  }),
})
const BY_VERB = (schema: Schema) => object(Object.fromEntries(VERBS.map((verb) => [verb, schema])))
const ACCOUNT = object({ id: integer(), username: text() })

export const FOLDER_PATHS = operations(
  { tag: 'Folders' },
  {
    'GET /api/folders': call('listFolders', 'What is said of folders, for administrators', {
      answers: {
        200: json(
          object({
            items: list(ref('Folder')),
            roots: list(object({ name: text(), isMissing: flag() }), 'Besides the served folder.'),
          }),
        ),
        ...failures(403),
      },
    }),
    'PUT /api/folders': call('setFolder', 'Say what holds for a folder, for administrators', {
      description:
        'By its place: the record that is there is replaced. It holds from the next request on.',
      body: jsonBody(ref('FolderChange')),
      answers: { 200: json(ref('Folder')), ...failures(400, 403) },
    }),
    'DELETE /api/folders': call('forgetFolder', 'Remove the record of a folder', {
      description: 'For administrators. The folder stays.',
      parameters: [required(query('place', 'Of the folder.'))],
      body: jsonBody(object({ 'current_password?': text('With the method json.') })),
      answers: { 204: empty('Removed.'), ...failures(400, 403, 404) },
    }),
    'GET /api/access': call('explainAccess', 'Who may do what, and why, for administrators', {
      parameters: [
        query('user', 'Number of an account: what it may do at a path of its tree.', integer()),
        required(
          query('path', "Without `user` a path of the caller's tree: who may do what there."),
        ),
      ],
      answers: {
        200: json({ anyOf: [ref('AccountVerdicts'), ref('FolderAccess')] }),
        ...failures(400, 403, 404),
      },
    }),
  },
)

const PERM = { ...ref('Permissions'), description: 'What it adds to those of its members.' }
const QUOTA = orNull(integer('Bytes that the home of a member may hold; null says nothing.'))
const CLAIMS = list(text(), 'Names of groups at a provider or in a directory.')

const RECORD = {
  'as?': text(
    'Its name at the top of the trees of those to whom a grant says that they see it; empty for none.',
  ),
  'quota?': orNull(integer('Bytes that it may hold; null for no limit.')),
  'grants?': list(ref('Grant'), 'At most 200, one for each of whom something is said.'),
}
const PLACE = text('`/docs` in the served folder, `photos:/2024` in the root `photos`.')

export const ACCESS_SCHEMAS: Record<string, Schema> = {
  Grant: object({
    who: text('`user:3`, `group:2` or `everyone`.'),
    ...Object.fromEntries(VERBS.map((verb) => [`${verb}?`, flag()])),
  }),
  FolderRights: object(
    Object.fromEntries(VERBS.slice(1).map((verb) => [verb, flag()])),
    'Of a folder, for accounts of whom records of folders speak.',
  ),
  Folder: object({
    place: PLACE,
    as: RECORD['as?'],
    quota: RECORD['quota?'],
    grants: RECORD['grants?'],
    'isMissing?': flag('Nothing is at the place now.'),
    'hides?': list(text(), 'Accounts in whose home an entry has the name `as`.'),
    'usedBytes?': integer(
      'What it holds with what is reserved, where it is limited and has been counted.',
    ),
  }),
  FolderChange: object({
    place: PLACE,
    ...RECORD,
    'current_password?': text('Password of the caller, with the method json.'),
  }),
  AccountVerdicts: object({
    user: ACCOUNT,
    path: text(),
    place: text('Where the path leads by its text.'),
    verbs: BY_VERB(VERDICT),
  }),
  FolderAccess: object({
    place: text(),
    items: list(object({ user: ACCOUNT, rights: BY_VERB(flag()) }), 'Of those who see it.'),
  }),
  Group: object({
    id: integer(),
    name: text(),
    perm: PERM,
    homeQuota: QUOTA,
    claims: CLAIMS,
    members: list(ref('GroupMember'), 'Once for each that says so.'),
  }),
  GroupMember: object({
    userID: integer(),
    from: choice(['admin', 'oidc', 'ldap'], 'Who says that the account is in the group.'),
  }),
  GroupChange: object({
    'name?': text('1 to 255 bytes.'),
    'perm?': PERM,
    'homeQuota?': QUOTA,
    'claims?': CLAIMS,
    'members?': list(
      object({ userID: integer(), 'from?': text('Only `admin` counts, or nothing.') }),
      'In the place of those that administrators have given.',
    ),
    'current_password?': text('Password of the caller, with the method json.'),
  }),
}
