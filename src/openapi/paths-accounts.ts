// Operations on sessions, accounts and settings.
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
  plain,
  query,
  ref,
  sends,
  status,
  text,
} from './shorthands.ts'

const SESSION: Group = {
  tag: 'Session',
  inPath: { id: inPath('id', 'Id of the session, as listed.') },
}
const TOKENS: Group = {
  tag: 'API tokens',
  inPath: { id: inPath('id', 'Id of the token, as listed.') },
}
const ACCOUNTS: Group = {
  tag: 'Accounts',
  inPath: { id: inPath('id', 'Number of the account.', integer()) },
}
const SETTINGS: Group = { tag: 'Settings' }

const TOKEN = plain('The token, as plain text. The cookie `auth` is set as well.', text())

const RENEW = call('renew', 'Get a fresh token', {
  description: 'As often as wanted while the session lives. GET takes the cookie.',
  answers: { 200: TOKEN },
})

const SESSION_PATHS = operations(SESSION, {
  'GET /health': call('health', 'Is the server up?', {
    access: 'everybody',
    answers: { 200: plain('It is.', choice(['{"status":"OK"}'])) },
  }),
  'POST /api/login': call('login', 'Sign in', {
    access: 'everybody',
    body: jsonBody(ref('Credentials')),
    answers: { 200: TOKEN, ...failures(403) },
  }),
  'POST /api/renew': RENEW,
  'GET /api/renew': { ...RENEW, id: 'renewByCookie' },
  'POST /api/logout': call('logout', 'End this session', {
    answers: { 204: empty('Ended; every token of the session is void.') },
  }),
  'POST /api/signup': call('signup', 'Make an account for oneself', {
    access: 'everybody',
    body: jsonBody(object({ username: text(), password: text() })),
    answers: {
      200: status('Made; sign in next.'),
      405: status('Not offered by this server.'),
      ...failures(400, 409),
    },
  }),
  'GET /api/sessions': call('listSessions', 'Where one is signed in', {
    parameters: [query('all', 'Sessions of every account, for administrators.', flag())],
    answers: { 200: json(list(ref('Session'))), ...failures(403) },
  }),
  'DELETE /api/sessions': call('endOtherSessions', 'Sign out everywhere else', {
    answers: { 204: empty('Ended.') },
  }),
  'DELETE /api/sessions/{id}': call('endSession', 'End one session', {
    answers: { 204: empty('Ended.'), ...failures(403, 404) },
  }),
  'GET /api/openapi.json': call('openapi', 'This document', {
    access: 'everybody',
    answers: { 200: json({ type: 'object' }) },
  }),
})

const TOKEN_PATHS = operations(TOKENS, {
  'GET /api/tokens': call('listTokens', 'API tokens of one’s own', {
    description: 'People manage tokens; a token itself is refused here.',
    answers: { 200: json(list(ref('ApiToken'))), ...failures(403) },
  }),
  'POST /api/tokens': call('createToken', 'Make an API token', {
    description:
      'Send it as `X-Auth`, or as `Authorization: Bearer`. It may do what both its own rights and those of the account allow, and sees nothing outside of its folder.',
    body: jsonBody(ref('NewApiToken')),
    answers: { 201: json(ref('MadeApiToken')), ...failures(400, 403, 409) },
  }),
  'DELETE /api/tokens/{id}': call('removeToken', 'Remove an API token', {
    answers: { 204: empty('Removed.'), ...failures(403, 404) },
  }),
})

const USER_PATHS = operations(ACCOUNTS, {
  'GET /api/users': call('listUsers', 'All accounts, for administrators', {
    answers: { 200: json(list(ref('User'))), ...failures(403) },
  }),
  'POST /api/users': call('createUser', 'Make an account, for administrators', {
    body: jsonBody(ref('NewUser')),
    answers: {
      201: status('Made.', { Location: sends('Page of the account.') }),
      ...failures(400, 403, 409),
    },
  }),
  'GET /api/users/{id}': call('readUser', 'One account: the own one, or any for administrators', {
    answers: { 200: json(ref('User')), ...failures(403, 404) },
  }),
  'PUT /api/users/{id}': call('changeUser', 'Change fields of an account', {
    body: jsonBody(ref('UserChange')),
    answers: { 200: status('Changed.'), ...failures(400, 403, 404, 409) },
  }),
  'DELETE /api/users/{id}': call('deleteUser', 'Delete an account', {
    body: jsonBody(object({ current_password: text('Password of the caller.') })),
    answers: { 200: status('Deleted.'), ...failures(400, 403, 404) },
  }),
})

const SETTINGS_PATHS = operations(SETTINGS, {
  'GET /api/settings': call('readSettings', 'Global settings, for administrators', {
    answers: { 200: json(ref('Settings')), ...failures(403) },
  }),
  'PUT /api/settings': call('changeSettings', 'Replace the global settings, for administrators', {
    description: 'Absent keys take their defaults, except `webhooks`.',
    body: jsonBody(ref('Settings')),
    answers: { 200: status('Saved.'), ...failures(400, 403) },
  }),
})

export const ACCOUNT_PATHS = { ...SESSION_PATHS, ...TOKEN_PATHS, ...USER_PATHS, ...SETTINGS_PATHS }
