// Operations on the history of an account.
import { call, type Group, operations } from './operations.ts'
import {
  choice,
  failures,
  inPath,
  integer,
  json,
  list,
  object,
  orNull,
  query,
  ref,
  text,
  time,
} from './shorthands.ts'
import type { Schema } from './types.ts'

const HISTORY: Group = {
  tag: 'History',
  inPath: { id: inPath('id', 'Id of the record, or the `X-Operation` of its changes.') },
}

const KINDS = ['upload', 'save', 'folder', 'copy', 'move', 'delete', 'restore', 'mode']

export const HISTORY_SCHEMAS: Record<string, Schema> = {
  HistoryPage: object({
    items: list(ref('HistoryItem'), 'The newest first.'),
    next: orNull(text('For `before`; null when there are no more.')),
  }),
  HistoryItem: object({
    id: text(),
    at: time(),
    kind: choice(KINDS),
    'path?': text(
      'What was changed, or the folder that holds all of it; absent where it may not be seen.',
    ),
    'to?': text('The same of where it went.'),
    files: integer('Entries that came or changed.'),
    bytes: integer(),
    'times?': integer('So often one and the same file was changed; absent for once.'),
    via: choice(
      ['web', 'api', 'dav', 'job'],
      'By a session, by a token, by WebDAV, or by the server itself.',
    ),
    undo: choice(['yes', 'no', 'done'], '`no`: what it would need is not there any more.'),
    'undoes?': text('The record that was undone by this one.'),
  }),
  Undoing: object({
    done: integer('Entries that are as they were before.'),
    kept: list(
      object({ 'path?': text(), code: text('Like `X-Error-Code`.') }),
      'What stays as it is: somebody has changed it since, its old place is taken, or a right is missing.',
    ),
  }),
}

export const HISTORY_PATHS = operations(HISTORY, {
  'GET /api/history': call('readHistory', 'What the caller has changed, the newest first', {
    description:
      'Changes of one `X-Operation` are one record; without that header, what one session has done of a kind in one folder with no more than five seconds in between.',
    parameters: [
      query('before', 'Older records: `next` of the page before.'),
      query('limit', '1 to 200, by default 50.', integer()),
    ],
    answers: { 200: json(ref('HistoryPage')), ...failures(400, 429) },
  }),
  'POST /api/history/{id}/undo': call('undo', 'Undo a record', {
    description:
      'The opposite of each step, the latest first, with the rights of now. That is a record as well, and undoing it is a redo. In place of the id the `X-Operation` of the changes may stand.',
    answers: {
      200: json(ref('Undoing')),
      ...failures(404),
      409: { ...json(ref('Undoing')), description: 'Nothing can be undone, or it was already.' },
    },
  }),
})
