// Operations on jobs.
import { CHECKSUM_ALGORITHMS } from '../files/transfer/checksum.ts'
import { call, type Group, operations } from './operations.ts'
import {
  choice,
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
  sends,
  status,
  text,
  time,
} from './shorthands.ts'
import type { Schema } from './types.ts'

const JOBS: Group = { tag: 'Jobs', inPath: { id: inPath('id', 'Id of the job.') } }

const KINDS = [
  'copy',
  'move',
  'delete',
  'restore',
  'empty',
  'mode',
  'compress',
  'extract',
  'checksum',
  'fetch',
]
const STATES = ['queued', 'running', 'paused', 'waiting', 'done', 'failed', 'cancelled']
const CONFLICTS = ['fail', 'skip', 'replace', 'rename', 'newer']

const WAIT = query(
  'wait',
  'Answers when the job ends, at most after this many seconds; 30 at most.',
  integer(),
)

const PASSWORD = {
  ...jsonBody(object({ 'password?': text('Of an archive that is unpacked.') })),
  required: false,
}

const act = (action: string, summary: string, from: string, takesPassword = false) =>
  call(`${action}Job`, summary, {
    ...(takesPassword && { body: PASSWORD }),
    answers: {
      200: json(ref('Job')),
      ...failures(404),
      409: { ...status(`Only what is ${from}.`) },
    },
  })

export const JOB_SCHEMAS: Record<string, Schema> = {
  Job: object({
    id: text(),
    userID: integer('The account that has asked for it.'),
    kind: choice(KINDS),
    state: choice(
      STATES,
      '`queued`: it waits for others on its disks. `waiting`: for a password, after a restart.',
    ),
    reason: orNull(text('Why it failed, like `X-Error-Code`: the first cause.')),
    items: list(
      text(),
      'In lists and events the first 20. Of `fetch`: where the file goes, once that is known.',
    ),
    itemCount: integer(),
    to: orNull(
      text(
        'The folder that the items go to; null where they stay, leave, or go back to where they were.',
      ),
    ),
    'url?': text('Of `fetch`: the address, without what is behind a question mark.'),
    filesDone: integer('Files that are done with; what is renamed counts as one.'),
    filesTotal: orNull(integer('Null until they were counted, which holds nothing up.')),
    bytesDone: integer(),
    bytesTotal: orNull(integer()),
    bytesPerSecond: orNull(integer('Of the last ten seconds.')),
    secondsLeft: orNull(integer()),
    current: orNull(text('What is being worked on.')),
    errors: list(
      object({
        path: text(),
        code: text('Like `X-Error-Code`.'),
        'lock?': object(
          { user: orNull(text('Null for an account that is gone.')), until: time() },
          'The lock of a client of WebDAV that was in the way.',
        ),
      }),
      'What was not done, the first hundred.',
    ),
    errorCount: integer(),
    createdAt: time(),
    startedAt: orNull(time()),
    endedAt: orNull(time()),
    operation: text('The name by which the history has it, for Undo.'),
  }),
  JobPage: object({ items: list(ref('Job'), 'The newest first.') }),
}

export const JOB_PATHS = operations(JOBS, {
  'POST /api/jobs': call('addJob', 'Begin work that goes on by itself', {
    description:
      'Copies, moves or deletes entries, brings them back from the trash (`restore`) or removes what is in it for good (`empty`), sets permission bits (`mode`), makes archives (`compress`) and unpacks them (`extract`), makes a file of sums or compares with one (`checksum`), fetches a file from another server (`fetch`, where `fetchFrom` is set), also when the caller has gone, and after a restart of the server. The rights are those of each moment. A job that waits for the same is given back instead (200).',
    parameters: [WAIT],
    body: jsonBody(
      object({
        kind: choice(KINDS),
        'items?': list(text('Path of an entry.'), 'Not for `restore`, `empty` and `fetch`.'),
        'ids?': list(text('Id of an entry of the trash.'), 'Of `restore`.'),
        'to?': text(
          'The folder to copy or move to, to restore into, or for the archive: that of the first item without it. Where to unpack: a new folder beside the archive without it.',
        ),
        'conflict?': choice(
          CONFLICTS,
          'When something is there: `exists`, or it stays (`skip`), is replaced, stands beside the next free name, or stays unless it is older. Folders are merged, but for `fail` and `rename`. `fail` without it.',
        ),
        'trash?': flag('Whether a deletion goes into the trash.'),
        'olderThan?': text('Of `empty`: what was deleted at least so long ago, like `30d`.'),
        'mode?': text('Of `mode`: three octal digits.'),
        'recursive?': flag('Of `mode`: all below a folder as well.'),
        'algorithm?': choice(
          [...CHECKSUM_ALGORITHMS],
          'Of `checksum`: that of the file which is made; `sha256` without it.',
        ),
        'check?': flag('Of `checksum`: the items are files of sums, which are compared.'),
        'url?': text(
          'Of `fetch`: an address with http or https, whose host is one of `fetchFrom`.',
        ),
        'name?': text(
          'Of `fetch`: the name of the file; else that which its server gives, or the end of the address.',
        ),
        'format?': text('Of `compress`: like `algo` of a download; `zip` without it.'),
        'entries?': list(
          text('Name in an archive.'),
          'Of `extract`: these alone, with all below them.',
        ),
        'encoding?': text('Of `extract`: that of names which do not say theirs, like `shift_jis`.'),
        'password?': text('Of `extract`. It is kept in memory alone.'),
        'deflated?': flag('Of `compress`: whether a zip is packed; true without it.'),
      }),
    ),
    answers: {
      200: { ...json(ref('Job')), description: 'One that waits to do the same.' },
      201: { ...json(ref('Job')), headers: { Location: sends('Address of the job.') } },
      ...failures(400, 403, 404, 409, 507),
    },
  }),
  'GET /api/jobs': call('listJobs', 'Jobs of the caller, the newest first', {
    description: 'Those that have ended stay for seven days.',
    parameters: [
      query('state', 'Only these, separated by commas.'),
      query('all', 'Those of everybody, for administrators.', flag()),
    ],
    answers: { 200: json(ref('JobPage')), ...failures(400, 403) },
  }),
  'GET /api/jobs/{id}': call('getJob', 'One job', {
    parameters: [WAIT],
    answers: { 200: json(ref('Job')), ...failures(404) },
  }),
  'DELETE /api/jobs/{id}': call('forgetJob', 'Forget a job that has ended', {
    answers: {
      204: { description: 'It is gone.' },
      ...failures(404),
      409: { ...status('It has not ended.') },
    },
  }),
  'GET /api/events': call('listenToJobs', 'Jobs that change, as they do', {
    description:
      'Server-sent events named `job`, each with the state of a job, at most four in a second for each; `Last-Event-ID` brings what has changed since. It ends with the session, and when the server stops.',
    parameters: [query('all', 'Those of everybody, for administrators.', flag())],
    answers: {
      200: {
        description: 'Events.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      },
      ...failures(403),
    },
  }),
  'POST /api/jobs/{id}/pause': act('pause', 'Let a job rest', 'queued or running'),
  'POST /api/jobs/{id}/resume': act(
    'resume',
    'Go on with a job that rests',
    'paused or waiting',
    true,
  ),
  'POST /api/jobs/{id}/cancel': act('cancel', 'End a job', 'queued, running, paused or waiting'),
  'POST /api/jobs/{id}/retry': act('retry', 'Do what was not done', 'failed or cancelled', true),
})
