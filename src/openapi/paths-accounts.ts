// Operations on sessions, accounts, settings and shares.
import { ARCHIVE_QUERY } from './paths-files.ts'
import {
  bytes,
  empty,
  failures,
  flag,
  HASH,
  json,
  jsonBody,
  list,
  type Operation,
  object,
  PATH,
  type Paths,
  PREVIEW_DISPLAY,
  PREVIEW_SIZE,
  PUBLIC,
  query,
  ref,
  SESSION_ID,
  SHARE,
  SIGNED_IN,
  SIGNED_IN_GET,
  SUBPATH,
  status,
  text,
  USER_ID,
} from './types.ts'

const TOKEN_ANSWER = {
  description: 'The token, as plain text. The cookie `auth` is set as well.',
  content: { 'text/plain': { schema: text() } },
}

const INLINE = query('inline', 'For showing in a page rather than saving.', flag())

const RENEW: Operation = {
  operationId: 'renew',
  summary: 'Get a fresh token',
  description: 'As often as wanted while the session lives. GET takes the cookie.',
  tags: ['Session'],
  security: SIGNED_IN,
  responses: { 200: TOKEN_ANSWER, ...failures(401) },
}

export const ACCOUNT_PATHS: Paths = {
  '/health': {
    get: {
      operationId: 'health',
      summary: 'Is the server up?',
      tags: ['Session'],
      security: PUBLIC,
      responses: {
        200: {
          description: 'It is.',
          content: { 'text/plain': { schema: { type: 'string', enum: ['{"status":"OK"}'] } } },
        },
      },
    },
  },
  '/api/login': {
    post: {
      operationId: 'login',
      summary: 'Sign in',
      tags: ['Session'],
      security: PUBLIC,
      requestBody: jsonBody(ref('Credentials')),
      responses: { 200: TOKEN_ANSWER, ...failures(403, 408, 429) },
    },
  },
  '/api/renew': {
    post: RENEW,
    get: { ...RENEW, operationId: 'renewByCookie', security: SIGNED_IN_GET },
  },
  '/api/logout': {
    post: {
      operationId: 'logout',
      summary: 'End this session',
      tags: ['Session'],
      security: SIGNED_IN,
      responses: { 204: empty('Ended; every token of the session is void.'), ...failures(401) },
    },
  },
  '/api/signup': {
    post: {
      operationId: 'signup',
      summary: 'Make an account for oneself',
      tags: ['Session'],
      security: PUBLIC,
      requestBody: jsonBody(object({ username: text(), password: text() })),
      responses: {
        200: status('Made; sign in next.'),
        405: status('Not offered by this server.'),
        ...failures(400, 408, 409, 429),
      },
    },
  },
  '/api/sessions': {
    get: {
      operationId: 'listSessions',
      summary: 'Where one is signed in',
      tags: ['Session'],
      security: SIGNED_IN_GET,
      parameters: [query('all', 'Sessions of every account, for administrators.', flag())],
      responses: { 200: json(list(ref('Session'))), ...failures(401, 403) },
    },
    delete: {
      operationId: 'endOtherSessions',
      summary: 'Sign out everywhere else',
      tags: ['Session'],
      security: SIGNED_IN,
      responses: { 204: empty('Ended.'), ...failures(401) },
    },
  },
  '/api/sessions/{id}': {
    delete: {
      operationId: 'endSession',
      summary: 'End one session',
      tags: ['Session'],
      security: SIGNED_IN,
      parameters: [SESSION_ID],
      responses: { 204: empty('Ended.'), ...failures(401, 403, 404) },
    },
  },
  '/api/users': {
    get: {
      operationId: 'listUsers',
      summary: 'All accounts, for administrators',
      tags: ['Accounts'],
      security: SIGNED_IN_GET,
      responses: { 200: json(list(ref('User'))), ...failures(401, 403) },
    },
    post: {
      operationId: 'createUser',
      summary: 'Make an account, for administrators',
      tags: ['Accounts'],
      security: SIGNED_IN,
      requestBody: jsonBody(ref('NewUser')),
      responses: {
        201: status('Made.', {
          Location: { description: 'Page of the account.', schema: text() },
        }),
        ...failures(400, 401, 403, 408, 409, 429),
      },
    },
  },
  '/api/users/{id}': {
    get: {
      operationId: 'readUser',
      summary: 'One account: the own one, or any for administrators',
      tags: ['Accounts'],
      security: SIGNED_IN_GET,
      parameters: [USER_ID],
      responses: { 200: json(ref('User')), ...failures(401, 403, 404) },
    },
    put: {
      operationId: 'changeUser',
      summary: 'Change fields of an account',
      tags: ['Accounts'],
      security: SIGNED_IN,
      parameters: [USER_ID],
      requestBody: jsonBody(ref('UserChange')),
      responses: { 200: status('Changed.'), ...failures(400, 401, 403, 404, 408, 409, 429) },
    },
    delete: {
      operationId: 'deleteUser',
      summary: 'Delete an account',
      tags: ['Accounts'],
      security: SIGNED_IN,
      parameters: [USER_ID],
      requestBody: jsonBody(object({ current_password: text('Password of the caller.') })),
      responses: { 200: status('Deleted.'), ...failures(400, 401, 403, 404, 408, 429) },
    },
  },
  '/api/settings': {
    get: {
      operationId: 'readSettings',
      summary: 'Global settings, for administrators',
      tags: ['Settings'],
      security: SIGNED_IN_GET,
      responses: { 200: json(ref('Settings')), ...failures(401, 403) },
    },
    put: {
      operationId: 'changeSettings',
      summary: 'Replace the global settings, for administrators',
      description: 'Absent keys take their defaults, except `webhooks`.',
      tags: ['Settings'],
      security: SIGNED_IN,
      requestBody: jsonBody(ref('Settings')),
      responses: { 200: status('Saved.'), ...failures(400, 401, 403, 408, 429) },
    },
  },
  '/api/shares': {
    get: {
      operationId: 'listShares',
      summary: 'Own shares; all of them for administrators',
      tags: ['Shares'],
      security: SIGNED_IN_GET,
      responses: { 200: json(list(ref('Share'))), ...failures(401, 403) },
    },
  },
  '/api/share/{path}': {
    get: {
      operationId: 'sharesOf',
      summary: 'Shares of one entry',
      tags: ['Shares'],
      security: SIGNED_IN_GET,
      parameters: [PATH],
      responses: { 200: json(list(ref('Share'))), ...failures(401, 403) },
    },
    post: {
      operationId: 'createShare',
      summary: 'Make a public link',
      tags: ['Shares'],
      security: SIGNED_IN,
      parameters: [PATH],
      requestBody: jsonBody(ref('NewShare')),
      responses: { 200: json(ref('Share')), ...failures(400, 401, 403, 404, 408, 429) },
    },
    delete: {
      operationId: 'deleteShare',
      summary: 'End a public link; the path is its hash',
      tags: ['Shares'],
      security: SIGNED_IN,
      parameters: [PATH],
      responses: { 200: status('Ended.'), ...failures(400, 401, 403, 404) },
    },
  },
  '/api/public/share/{hash}/{path}': {
    get: {
      operationId: 'readShare',
      summary: 'What a share holds',
      tags: ['Shares'],
      security: SHARE,
      parameters: [HASH, SUBPATH],
      responses: { 200: json(ref('FileOrFolder')), ...failures(400, 401, 403, 404, 429) },
    },
  },
  '/api/public/dl/{hash}/{path}': {
    get: {
      operationId: 'downloadShare',
      summary: 'Download from a share',
      tags: ['Shares'],
      security: SHARE,
      parameters: [HASH, SUBPATH, INLINE, ...ARCHIVE_QUERY],
      responses: {
        200: bytes('The file or the archive.'),
        206: bytes('Part of the file.'),
        304: empty('Not changed.'),
        ...failures(400, 401, 403, 404, 412, 416, 429),
      },
    },
  },
  '/api/public/selections/{hash}': {
    post: {
      operationId: 'registerSharedSelection',
      summary: 'Select entries of a share that are too many for an address',
      description: 'The id goes into the `selection` query of a download from this share.',
      tags: ['Shares'],
      security: SHARE,
      parameters: [HASH],
      requestBody: jsonBody(ref('Selection')),
      responses: { 200: json(ref('SelectionId')), ...failures(400, 401, 403, 404, 408, 429) },
    },
  },
  '/api/public/preview/{size}/{hash}/{path}': {
    get: {
      operationId: 'previewShare',
      summary: 'Small picture of a shared file',
      tags: ['Shares'],
      security: SHARE,
      parameters: [PREVIEW_SIZE, HASH, SUBPATH, INLINE, PREVIEW_DISPLAY],
      responses: {
        200: bytes('The picture.', 'image/*'),
        206: bytes('Part of the picture.', 'image/*'),
        304: empty('Not changed.'),
        ...failures(400, 401, 403, 404, 412, 413, 416, 429, 501),
      },
    },
  },
  '/api/public/subtitle/{hash}/{path}': {
    get: {
      operationId: 'subtitleOfShare',
      summary: 'Subtitles of a shared video as WebVTT',
      tags: ['Shares'],
      security: SHARE,
      parameters: [HASH, SUBPATH, INLINE],
      responses: {
        200: bytes('The subtitles.', 'text/vtt'),
        206: bytes('Part of the subtitles.', 'text/vtt'),
        304: empty('Not changed.'),
        ...failures(400, 401, 403, 404, 412, 413, 416, 429),
      },
    },
  },
  '/api/openapi.json': {
    get: {
      operationId: 'openapi',
      summary: 'This document',
      tags: ['Session'],
      security: PUBLIC,
      responses: { 200: json({ type: 'object' }) },
    },
  },
}
