// Operations on versions of files.
import { call, type Group, operations } from './operations.ts'
import {
  bytesOf,
  choice,
  empty,
  failures,
  fileAnswers,
  flag,
  header,
  integer,
  jsonBody,
  list,
  object,
  orNull,
  query,
  ref,
  text,
  time,
} from './shorthands.ts'
import type { Schema } from './types.ts'

const VERSIONS: Group = { tag: 'Versions' }

export const VERSION_SCHEMAS: Record<string, Schema> = {
  Versions: object({ items: list(ref('Version'), 'The newest first.') }),
  Version: object({
    id: text(),
    size: integer(),
    modified: time('When this content was written.'),
    replacedAt: time(),
    by: orNull(text('Name of the account that replaced it; null for one that is gone.')),
    keep: flag('It stays whatever its age.'),
  }),
  LeftVersions: object({
    items: list(
      object({
        path: text('Where the file was.'),
        versions: integer('How many there are.'),
        size: integer('Their bytes.'),
        replacedAt: time('Of the latest.'),
      }),
      'The latest first, 1,000 at most.',
    ),
    total: integer('How many there are.'),
    totalBytes: integer(),
  }),
  VersionAction: object({
    id: text(),
    action: choice(
      ['restore', 'keep', 'release', 'copy'],
      '`restore` saves it as the file, `copy` makes another file of it, `keep` and `release` set and take off the mark that it stays.',
    ),
    'to?': text('Path of the file that `copy` makes.'),
  }),
}

const FILE = fileAnswers('The content of the version.', 'Part of it.')

export const VERSION_PATHS = operations(VERSIONS, {
  'GET /api/versions/{path}': call('readVersions', 'What a file was before it was replaced', {
    description:
      'Needs modify and download. With `id` the bytes of that version; with `gone`, for a folder, the files in it or below it that are not there any more but have versions.',
    parameters: [
      query('id', 'Sends the content of this version.'),
      query('gone', 'Lists files that are not there any more.', flag()),
      query('inline', 'For showing in a page rather than saving.', flag()),
      header('Range', 'Part of the content, as `bytes=0-499`.'),
    ],
    answers: {
      ...FILE,
      200: {
        description: 'The versions; with `id` the content of one.',
        content: {
          ...bytesOf('application/octet-stream'),
          'application/json': { schema: { anyOf: [ref('Versions'), ref('LeftVersions')] } },
        },
      },
      ...failures(403, 404),
    },
  }),
  'POST /api/versions/{path}': call('changeVersion', 'Restore, copy or mark a version', {
    body: jsonBody(ref('VersionAction')),
    answers: { 204: empty('Done.'), ...failures(400, 403, 404, 409, 507) },
  }),
  'DELETE /api/versions/{path}': call('removeVersion', 'Remove a version for good', {
    parameters: [query('id', 'The version.'), query('all', 'Every version of the file.', flag())],
    answers: { 204: empty('It is gone.'), ...failures(403, 404) },
  }),
})
