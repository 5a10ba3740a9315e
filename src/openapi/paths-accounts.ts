// Operations on sessions, accounts and settings.
import { AUDIT_ACTIONS, AUDIT_RESULTS } from '../audit/event.ts'
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
  time,
} from './shorthands.ts'

const ON_DELETE = choice(
  ['trash', 'ask', 'gone'],
  'What Delete means where there is a trash: into it, there after a question, or for good after a question.',
)
const OPEN_TARGET = flag('Whether the page opens the folder that something was copied or moved to.')
const SESSION: Group = {
  tag: 'Session',
  inPath: { id: inPath('id', 'Id of the session, as listed.') },
}
const TOKENS: Group = {
  tag: 'API tokens',
  inPath: { id: inPath('id', 'Id of the token, as listed.') },
}
const FACTORS: Group = {
  tag: 'Two-step sign-in',
  inPath: { id: inPath('id', 'Number of the account.', integer()) },
}
const PASSKEYS: Group = {
  tag: 'Passkeys',
  inPath: { id: inPath('id', 'Credential id, as listed.') },
}
const ACCOUNTS: Group = {
  tag: 'Accounts',
  inPath: { id: inPath('id', 'Number of the account.', integer()) },
}
const SETTINGS: Group = { tag: 'Settings' }
const AUDIT: Group = { tag: 'Audit log' }

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
  'GET /ready': call('ready', 'Should it be sent requests?', {
    access: 'everybody',
    description: 'For balancers. 503 while it is about to stop, or a served folder is missing.',
    answers: {
      200: json(object({ ready: flag() })),
      503: json(
        object({
          ready: flag(),
          reasons: list(text('`draining`, `records`, `root` or `root:<name>`.')),
        }),
      ),
    },
  }),
  'POST /api/login': call('login', 'Sign in', {
    access: 'everybody',
    body: jsonBody(ref('Credentials')),
    answers: {
      200: TOKEN,
      401: json(ref('SecondStep')),
      ...failures(403),
    },
  }),
  'POST /api/login/second': call('secondStep', 'Sign in with the second step', {
    description:
      'The ticket is that of `POST /api/login`; a code or a recovery code counts once, and so does the answer of a passkey.',
    access: 'everybody',
    body: jsonBody(
      object({
        ticket: text(),
        'code?': text(),
        'recovery?': text(),
        'passkey?': ref('Assertion'),
      }),
    ),
    answers: { 200: TOKEN, ...failures(401, 403) },
  }),
  'POST /api/login/enrol': call('enrolFirst', 'Set the second step up that sign-in asks for', {
    description: 'The ticket alone begins, and is answered with the secret. With a code it ends.',
    access: 'everybody',
    body: jsonBody(object({ ticket: text(), 'code?': text() })),
    answers: {
      200: json({
        anyOf: [ref('Enrolment'), object({ token: text(), recovery: list(text()) })],
      }),
      ...failures(401, 403, 409),
    },
  }),
  'POST /api/renew': RENEW,
  'GET /api/renew': { ...RENEW, id: 'renewByCookie' },
  'POST /api/logout': call('logout', 'End this session', {
    answers: {
      204: empty('Ended; every token of the session is void.', {
        'X-Logout-URL': sends('Where the browser signs out at the provider, if it came from one.'),
      }),
    },
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

const PROOF = { 'current_password?': text(), 'code?': text(), 'recovery?': text() }
const CODES = json(object({ recovery: list(text()) }))

const FACTOR_PATHS = operations(FACTORS, {
  'GET /api/second-factor': call('readSecondFactor', 'The second factor of one’s own', {
    answers: { 200: json(ref('SecondFactor')), ...failures(403) },
  }),
  'POST /api/second-factor': call('beginSecondFactor', 'Begin to set up a second factor', {
    body: jsonBody(object({ 'current_password?': text() })),
    answers: { 200: json(ref('Enrolment')), ...failures(400, 403, 409) },
  }),
  'PUT /api/second-factor': call('finishSecondFactor', 'Switch it on with a first code', {
    description: 'The recovery codes are told this once.',
    body: jsonBody(object({ code: text() })),
    answers: { 200: CODES, ...failures(400, 403, 404, 409) },
  }),
  'DELETE /api/second-factor': call('removeSecondFactor', 'Switch it off', {
    description: 'Takes the password and a code or recovery code.',
    body: jsonBody(object(PROOF)),
    answers: { 204: empty('Switched off.'), ...failures(400, 403, 404) },
  }),
  'POST /api/second-factor/recovery': call('renewRecoveryCodes', 'Get new recovery codes', {
    description: 'Takes the password and a code or recovery code; the old ones count no more.',
    body: jsonBody(object(PROOF)),
    answers: { 200: CODES, ...failures(400, 403, 404) },
  }),
  'GET /api/second-factors': call('listSecondFactors', 'Who has one, for administrators', {
    answers: { 200: json(list(ref('AccountFactor'))), ...failures(403) },
  }),
  'PUT /api/second-factors/{id}': call('requireSecondFactor', 'Require one of an account', {
    body: jsonBody(object({ required: flag(), 'current_password?': text() })),
    answers: { 204: empty('Noted.'), ...failures(400, 403, 404) },
  }),
  'DELETE /api/second-factors/{id}': call('resetSecondFactor', 'Reset that of another account', {
    description: 'Its passkeys go as well, and its sessions end.',
    body: jsonBody(object({ 'current_password?': text() })),
    answers: { 204: empty('Reset.'), ...failures(400, 403, 404) },
  }),
  'GET /api/identities': call('listIdentities', 'Who comes from elsewhere, for administrators', {
    answers: { 200: json(list(ref('AccountIdentity'))), ...failures(403) },
  }),
  'POST /api/confirm': call('confirm', 'Prove again who one is', {
    description:
      'By password, by code where the account has a second factor, or by passkey. For ten minutes the session needs no `current_password`, except to remove the factor.',
    body: jsonBody(object({ 'password?': text(), 'code?': text(), 'passkey?': ref('Assertion') })),
    answers: { 204: empty('Confirmed.'), ...failures(400, 403) },
  }),
  'GET /api/confirm': call('readConfirm', 'By what one can prove who one is', {
    answers: { 200: json(ref('ConfirmWays')), ...failures(403) },
  }),
  'POST /api/confirm/options': call('beginConfirm', 'What a passkey signs to confirm', {
    answers: { 200: json(ref('AssertionOptions')), ...failures(403) },
  }),
})

const PASSKEY_PATHS = operations(PASSKEYS, {
  'POST /api/login/passkey/options': call('beginPasskeyLogin', 'What a passkey signs to sign in', {
    description: 'With the ticket of `POST /api/login` for the second step, without for all of it.',
    access: 'everybody',
    body: jsonBody(object({ 'ticket?': text() })),
    answers: { 200: json(ref('AssertionOptions')), ...failures(401, 403) },
  }),
  'POST /api/login/passkey': call('passkeyLogin', 'Sign in with a passkey alone', {
    access: 'everybody',
    body: jsonBody(object({ response: ref('Assertion'), 'remember?': flag() })),
    answers: { 200: TOKEN, ...failures(403) },
  }),
  'GET /api/passkeys': call('listPasskeys', 'Passkeys of one’s own', {
    answers: { 200: json(ref('Passkeys')), ...failures(403) },
  }),
  'POST /api/passkeys/options': call('beginPasskey', 'Begin to add a passkey', {
    description: 'Answers what to give to `navigator.credentials.create`.',
    body: jsonBody(object({ 'current_password?': text() })),
    answers: { 200: json({ type: 'object' }), ...failures(400, 403, 409) },
  }),
  'POST /api/passkeys': call('addPasskey', 'Add it', {
    body: jsonBody(
      object({
        name: text(),
        response: { type: 'object', description: 'RegistrationResponseJSON of WebAuthn 3.' },
      }),
    ),
    answers: { 201: json(ref('Passkey')), ...failures(400, 403, 409) },
  }),
  'PATCH /api/passkeys/{id}': call('renamePasskey', 'Give it another name', {
    body: jsonBody(object({ name: text() })),
    answers: { 204: empty('Renamed.'), ...failures(400, 403, 404) },
  }),
  'DELETE /api/passkeys/{id}': call('removePasskey', 'Remove it', {
    body: jsonBody(object({ 'current_password?': text() })),
    answers: { 204: empty('Removed.'), ...failures(400, 403, 404) },
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
  'GET /api/preferences': call('readPreferences', 'What the page does for the account that asks', {
    answers: { 200: json(object({ onDelete: ON_DELETE, openTarget: OPEN_TARGET })) },
  }),
  'PUT /api/preferences': call('changePreferences', 'Say what the page does for the own account', {
    body: jsonBody(object({ 'onDelete?': ON_DELETE, 'openTarget?': OPEN_TARGET })),
    answers: { 204: empty('Changed.'), ...failures(400, 403) },
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

const AUDIT_FILTER = [
  query('user', 'Name of the account.'),
  query('action', 'What was done.', choice([...AUDIT_ACTIONS])),
  query('path', 'Part of a path.'),
  query('result', 'How it ended.', choice([...AUDIT_RESULTS])),
  query('share', 'Hash of a link: what its visitors did. Whoever made the link may ask that.'),
  query('from', 'Not before this time.', time()),
  query('to', 'Before this time.', time()),
]

const NODE_PATHS = operations(SETTINGS, {
  'GET /api/nodes': call('listNodes', 'The nodes that serve from the same records', {
    description: 'For administrators. 404 where the records are not in PostgreSQL.',
    answers: { 200: json(list(ref('Node'))), ...failures(403, 404) },
  }),
})

const AUDIT_PATHS = operations(AUDIT, {
  'GET /api/audit': call('readAudit', 'Who did what, the newest first, for administrators', {
    parameters: [
      ...AUDIT_FILTER,
      query('before', 'Older lines: `next` of the page before.'),
      query('limit', '1 to 1000, by default 100.', integer()),
    ],
    answers: { 200: json(ref('AuditPage')), ...failures(400, 403) },
  }),
  'GET /api/audit/export': call('exportAudit', 'The same as a file, the oldest first', {
    parameters: [
      ...AUDIT_FILTER,
      query('format', '`jsonl` when absent.', choice(['jsonl', 'csv'])),
    ],
    answers: { 200: plain('One line for each act.', text()), ...failures(400, 403, 404) },
  }),
})

export const ACCOUNT_PATHS = {
  ...SESSION_PATHS,
  ...TOKEN_PATHS,
  ...FACTOR_PATHS,
  ...PASSKEY_PATHS,
  ...USER_PATHS,
  ...SETTINGS_PATHS,
  ...NODE_PATHS,
  ...AUDIT_PATHS,
}
