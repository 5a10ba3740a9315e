// Operations on jobs.
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

const KINDS = ['copy', 'move', 'delete']
const STATES = ['queued', 'running', 'paused', 'done', 'failed', 'cancelled']
const CONFLICTS = ['fail', 'skip', 'replace', 'rename', 'newer']

const WAIT = query(
  'wait',
  'Answers when the job ends, at most after this many seconds; 30 at most.',
  integer(),
)

const act = (action: string, summary: string, from: string) =>
  call(`${action}Job`, summary, {
    answers: {
      200: json(ref('Job')),
      ...failures(404),
      409: { ...status(`Only what is ${from}.`) },
    },
  })

export const JOB_SCHEMAS: Record<string, Schema> = {
  Job: object({
    id: text(),
    kind: choice(KINDS),
    state: choice(STATES, '`queued`: it waits for others on its disks.'),
    reason: orNull(text('Why it failed, like `X-Error-Code`: the first cause.')),
    items: list(text(), 'In lists and events the first 20.'),
    itemCount: integer(),
    to: orNull(text('The folder that the items go to; null for a deletion.')),
    filesDone: integer('Files that are done with; what is renamed counts as one.'),
    filesTotal: orNull(integer('Null until they were counted, which holds nothing up.')),
    bytesDone: integer(),
    bytesTotal: orNull(integer()),
    bytesPerSecond: orNull(integer('Of the last ten seconds.')),
    secondsLeft: orNull(integer()),
    current: orNull(text('What is being worked on.')),
    errors: list(
      object({ path: text(), code: text('Like `X-Error-Code`.') }),
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
      'Copies, moves or deletes entries, also when the caller has gone, and after a restart of the server. The rights are those of each moment. A job that waits for the same is given back instead (200).',
    parameters: [WAIT],
    body: jsonBody(
      object({
        kind: choice(KINDS),
        items: list(text('Path of an entry.')),
        'to?': text('The folder to copy or move to.'),
        'conflict?': choice(
          CONFLICTS,
          'When something is there: `exists`, or it stays (`skip`), is replaced, stands beside the next free name, or stays unless it is older. Folders are merged, but for `fail` and `rename`. `fail` without it.',
        ),
        'trash?': flag('Whether a deletion goes into the trash.'),
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
  'POST /api/jobs/{id}/resume': act('resume', 'Go on with a job that rests', 'paused'),
  'POST /api/jobs/{id}/cancel': act('cancel', 'End a job', 'queued, running or paused'),
  'POST /api/jobs/{id}/retry': act('retry', 'Do what was not done', 'failed or cancelled'),
})
