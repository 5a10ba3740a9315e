// Operations on what was deleted and is kept, and what travels of it.
import { call, type Group, operations } from './operations.ts'
import {
  choice,
  failures,
  fileAnswers,
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
  status,
  text,
  time,
} from './shorthands.ts'
import type { Schema } from './types.ts'

const TRASH: Group = {
  tag: 'Trash',
  inPath: {
    id: inPath('id', 'Id of the entry.'),
    path: inPath('path', 'Path below a deleted folder; empty for the entry itself.'),
  },
}

export const TRASH_PATHS = operations(TRASH, {
  'GET /api/trash': call('listTrash', 'What was deleted and is kept, the newest first', {
    description: 'Entries that could be seen where they were, if they were still there.',
    parameters: [
      query('path', 'Only what was in this folder or below it.'),
      query('account', 'Only what this account deleted.'),
      query('q', 'Only paths that hold this, in any case.'),
      query('limit', 'Entries at most: 1 to 1000, 100 without it.', integer()),
      query('cursor', 'The `next` of the page before.'),
    ],
    answers: { 200: json(ref('TrashPage')), ...failures(400) },
  }),
  'GET /api/trash/usage': call(
    'trashUsage',
    'How much is kept of everybody, in the trash and as versions',
    {
      description: 'For administrators, over all trees.',
      answers: { 200: json(ref('TrashUsage')), ...failures(403) },
    },
  ),
  'GET /api/trash/{id}/{path}': call('readTrash', 'List a deleted folder, or read about a file', {
    description:
      'Paths are those that the entries had. With `raw` the bytes, or a folder as an archive; needs download.',
    parameters: [query('raw', 'Sends the content.', flag())],
    answers: {
      ...fileAnswers('The content.', 'Part of the file.'),
      200: {
        description: 'The entry, or its content.',
        content: {
          'application/json': { schema: ref('FileOrFolder') },
          'application/octet-stream': { schema: { type: 'string' } },
        },
      },
      ...failures(202, 404),
    },
  }),
  'POST /api/trash/restore': call('restoreFromTrash', 'Bring entries back', {
    description:
      'To where they were, or into a folder. Missing parents are made. Needs create there, and modify to replace.',
    body: jsonBody(
      object({
        ids: list(
          text(
            'Of an entry; with a path behind it (`{id}/{path}`) of what lies there in a deleted folder.',
          ),
        ),
        'to?': text('Folder to put them in instead of where they were.'),
        'conflict?': choice(
          ['fail', 'rename', 'replace'],
          'When something is there: `exists`, the next free name, or what is there goes into the trash. `fail` without it.',
        ),
      }),
    ),
    answers: { 200: json(ref('Restored')), ...failures(400) },
  }),
  'DELETE /api/trash': call('emptyTrash', 'Delete everything in the trash for good', {
    description:
      'What the caller has deleted, where it may delete; administrators delete what anybody has. It leaves the list at once and the disk in the background.',
    parameters: [query('olderThan', 'Only what was deleted this long ago: `7d`, `36h`.')],
    answers: { 202: status('Accepted.'), ...failures(400) },
  }),
  'DELETE /api/trash/{id}': call('eraseFromTrash', 'Delete an entry for good', {
    answers: { 202: status('Accepted.'), ...failures(403, 404) },
  }),
})

const item = object({
  id: text(),
  path: text('Where it was, in the tree of the caller.'),
  isLost: flag(
    'Nobody knows where it was, and `path` is beside the trash. Administrators alone see such entries.',
  ),
  isDir: flag(),
  size: orNull(integer('Bytes; null until they were counted, which is begun by asking.')),
  files: orNull(integer('Files in it; null where they were not counted.')),
  deletedAt: orNull(time('Null where nobody knows.')),
  expiresAt: orNull(
    time(
      'When it is older than `keepAge`; it may leave before where room is needed. Null where nobody knows its age: it stays.',
    ),
  ),
  by: orNull(text('Account; null for one that is gone, and for other programs.')),
  canRestore: flag(),
  canErase: flag('The caller may delete it for good.'),
})

const sums = {
  items: integer('Entries of the trash.'),
  bytes: integer('Theirs, as far as they were counted.'),
  versions: integer(),
  versionBytes: integer(),
}

export const TRASH_SCHEMAS: Record<string, Schema> = {
  TrashPage: object({
    items: list(item),
    next: orNull(text('For `cursor`; null when there are no older ones.')),
    total: integer('How many the filter leaves.'),
    totalBytes: integer('Their bytes, as far as they were counted.'),
  }),
  TrashUsage: object({
    accounts: list(
      object({
        by: orNull(text('Account; null for those that are gone, and for other programs.')),
        ...sums,
      }),
    ),
    disks: list(
      object({
        path: text('The highest folder of the disk in which something is kept.'),
        ...sums,
        totalBytes: integer('Of the disk; 0 where that is unknown.'),
        freeBytes: integer(),
      }),
    ),
  }),
  Restored: object({
    restored: list(object({ id: text(), path: text('Where it is now.') })),
    failed: list(object({ id: text(), code: text('As in `X-Error-Code`.') })),
  }),
}
