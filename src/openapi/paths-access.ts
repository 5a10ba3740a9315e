// Operations on groups, and what travels of them.
import { call, type Group, operations } from './operations.ts'
import {
  choice,
  empty,
  failures,
  inPath,
  integer,
  json,
  jsonBody,
  list,
  object,
  orNull,
  ref,
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

const PERM = { ...ref('Permissions'), description: 'What it adds to those of its members.' }
const QUOTA = orNull(integer('Bytes that the home of a member may hold; null says nothing.'))
const CLAIMS = list(text(), 'Names of groups at a provider or in a directory.')

export const ACCESS_SCHEMAS: Record<string, Schema> = {
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
