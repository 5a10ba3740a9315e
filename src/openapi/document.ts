// The OpenAPI 3.1 document of the whole HTTP interface, made from the tables beside this file. Tests
// hold it against the routes that are mounted and against real answers.
import { ERROR_CODES } from '../lib/errors.ts'
import { ACCESS_PATHS, ACCESS_SCHEMAS, FOLDER_PATHS } from './paths-access.ts'
import { ACCOUNT_PATHS } from './paths-accounts.ts'
import { FILE_PATHS } from './paths-files.ts'
import { HISTORY_PATHS, HISTORY_SCHEMAS } from './paths-history.ts'
import { JOB_PATHS, JOB_SCHEMAS } from './paths-jobs.ts'
import { OIDC_PATHS } from './paths-oidc.ts'
import { TRASH_PATHS, TRASH_SCHEMAS } from './paths-trash.ts'
import { VERSION_PATHS, VERSION_SCHEMAS } from './paths-versions.ts'
import { SCHEMAS } from './schemas.ts'
import { status } from './shorthands.ts'

export type OpenApi = ReturnType<typeof createOpenApi>

const INTRODUCTION = `Programs sign in with \`POST /api/login\` and send the token they get as \`X-Auth\` \
with every call; a token lasts as long as the server is configured for and is renewed with \
\`POST /api/renew\`.

Failures are a status line in plain text. The header \`X-Error-Code\` carries the reason for programs: \
${ERROR_CODES.join(', ')}.

Paths are percent-encoded segment by segment. A method that an address does not serve is answered 404.`

const FAILURES: Record<string, string> = {
  202: 'The caller may not download, so there is no content.',
  400: 'The request makes no sense; the cause may follow in brackets.',
  401: 'No valid session, or for shares no valid password.',
  403: 'Not permitted: a missing right, a rule, or a path outside of the tree.',
  404: 'There is no such thing.',
  408: 'The body came too slowly.',
  409: 'Something is there already, or an upload is not where the client believes.',
  412: 'The file has changed.',
  413: 'Larger than announced, or than can be handled.',
  415: 'The content type is not the one this call takes.',
  416: 'The range lies outside of the file.',
  423: 'In use for the moment; try again.',
  429: 'Too many wrong passwords, or too much at once; `Retry-After` says how long to wait.',
  501: 'There is no preview for files of this kind.',
  507: 'Not enough space on the disk, or past the limit of a folder.',
}

const apiKey = (place: 'header' | 'cookie' | 'query', name: string, description: string) => {
  return { type: 'apiKey', in: place, name, description }
}

const SECURITY_SCHEMES = {
  token: apiKey('header', 'X-Auth', 'The token of `POST /api/login`.'),
  cookie: apiKey('cookie', 'auth', 'Set at sign-in; counts for GET only.'),
  sharePassword: apiKey('header', 'X-SHARE-PASSWORD', 'Password of a share, percent-encoded.'),
  shareTicket: apiKey('query', 'token', 'The `token` of a share that was read with its password.'),
}

/** Builds the document; `baseURL` is the prefix the server is reached under, or empty. */
export function createOpenApi(options: { version: string; baseURL: string }) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'File Browser',
      version: options.version,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.baseURL || '/', description: 'This server' }],
    tags: [
      { name: 'Session', description: 'Signing in and out' },
      { name: 'API tokens', description: 'Keys for scripts and apps' },
      { name: 'Two-step sign-in', description: 'Codes of an app besides the password' },
      { name: 'Passkeys', description: 'Signing in by the key of a device' },
      {
        name: 'Provider',
        description: 'Signing in elsewhere (OpenID Connect), where it is configured',
      },
      { name: 'Files', description: 'Reading and changing files and folders' },
      { name: 'Uploads', description: 'Uploads that survive an interruption (a subset of tus)' },
      { name: 'Jobs', description: 'Work that goes on by itself' },
      { name: 'Trash', description: 'What was deleted and is kept for a while' },
      { name: 'Shares', description: 'Public links' },
      { name: 'Accounts', description: 'Users and what they may do' },
      { name: 'Groups', description: 'What several accounts may do besides' },
      { name: 'Folders', description: 'Who may do what in single folders' },
      { name: 'Settings', description: 'Settings of the whole server' },
      { name: 'Versions', description: 'What files were before they were replaced' },
      { name: 'History', description: 'What one has changed, and undoing it' },
      { name: 'Audit log', description: 'Who did what' },
    ],
    paths: {
      ...ACCOUNT_PATHS,
      ...ACCESS_PATHS,
      ...FOLDER_PATHS,
      ...OIDC_PATHS,
      ...FILE_PATHS,
      ...HISTORY_PATHS,
      ...JOB_PATHS,
      ...TRASH_PATHS,
      ...VERSION_PATHS,
    },
    components: {
      schemas: {
        ...SCHEMAS,
        ...ACCESS_SCHEMAS,
        ...HISTORY_SCHEMAS,
        ...JOB_SCHEMAS,
        ...TRASH_SCHEMAS,
        ...VERSION_SCHEMAS,
      },
      responses: Object.fromEntries(
        Object.entries(FAILURES).map(([code, description]) => [code, status(description)]),
      ),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}
