// `filebrowser audit`: the last lines of the audit log, and those to come.
import { open, stat } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { AuditTarget } from '../../audit/audit-target.ts'
import { AUDIT_ACTIONS, AUDIT_RESULTS, parseLine } from '../../audit/event.ts'
import { type AuditFilter, isAskedFor, readPage } from '../../audit/read-audit.ts'
import type { AuditRecord } from '../../audit-types.ts'
import { integerBetween, oneOf } from '../../config/option-values.ts'
import { AppError, unless } from '../../lib/errors.ts'
import { type Command, type Flag, flag, flagValue, type Invocation } from '../command.ts'
import { findAuditTarget, withDatabase } from '../database.ts'
import { ROOT_FLAGS } from '../flags.ts'

const LOOK_MS = 500

const FILTER_FLAGS: readonly Flag[] = [
  flag('user NAME', 'Only what this account did'),
  flag('action ACTION', `Only this: ${AUDIT_ACTIONS.join(', ')}`, {
    parse: oneOf(...AUDIT_ACTIONS),
  }),
  flag('path TEXT', 'Only paths that hold this'),
  flag('result RESULT', `Only what ended so: ${AUDIT_RESULTS.join(', ')}`, {
    parse: oneOf(...AUDIT_RESULTS),
  }),
  flag('lines NUMBER', 'How many lines at most', {
    short: 'n',
    parse: integerBetween(1, 1_000_000),
    default: '100',
  }),
  flag('follow', 'Go on with new lines until interrupted', { short: 'f' }),
]

export const auditCommand: Command = {
  name: 'audit',
  summary: 'Show who did what',
  about:
    'Prints the last lines of the audit log, the oldest first: one JSON object a line. Finds the log by\n' +
    'the same configuration the server was started with.',
  examples: [
    { line: 'filebrowser audit --follow', says: 'Watch what happens' },
    { line: 'filebrowser audit --action sign-in --result refused', says: 'Refused sign-ins' },
  ],
  flags: [...FILTER_FLAGS, ...ROOT_FLAGS.filter(({ name }) => name === 'audit')],
  run: showAudit,
}

async function showAudit(invocation: Invocation): Promise<number> {
  const { flags, stdout } = invocation
  const target = await withDatabase(invocation, async (store, _opened, file) =>
    findAuditTarget(invocation, file, store),
  )
  if (target.kind !== 'file')
    throw new AppError('not_found', `the audit log is kept in no file (audit is ${target.kind})`)
  const filter = filterOf(invocation)
  const limit = flagValue<number>(flags, 'lines') ?? 100
  const { signal } = new AbortController()
  const { lines } = await readPage(target, filter, { before: '', limit, signal })
  for (const record of lines.reverse()) print(stdout, record)
  if (flagValue<boolean>(flags, 'follow') !== true) return 0
  return follow(target, (record) => {
    if (isAskedFor(record, filter)) print(stdout, record)
  })
}

function filterOf({ flags }: Invocation): AuditFilter {
  const given = <T>(name: string) => flagValue<T>(flags, name)
  return {
    user: given('user') ?? '',
    action: given('action') ?? '',
    path: given('path') ?? '',
    result: given('result') ?? '',
    share: '',
    fromMs: 0,
    toMs: Number.POSITIVE_INFINITY,
  }
}

function print(stdout: (text: string) => void, record: AuditRecord): void {
  stdout(`${JSON.stringify(record)}\n`)
}

/** Lines from now on, also when the file is rotated or made anew; until the process is told to end. */
async function follow(
  { path }: AuditTarget,
  onRecord: (record: AuditRecord) => void,
): Promise<never> {
  let offset = (await stat(path).catch(() => null))?.size ?? 0
  let inode = 0n
  for (;;) {
    const file = await open(path).catch(unless('ENOENT'))
    if (file) {
      const { ino, size } = await file.stat({ bigint: true })
      if (inode !== 0n && ino !== inode) offset = 0
      inode = ino
      const bytes = Buffer.alloc(Math.max(0, Number(size) - offset))
      await file.read(bytes, 0, bytes.length, offset)
      await file.close()
      // A line that is still being written comes next time.
      const end = bytes.lastIndexOf('\n') + 1
      offset += end
      for (const line of bytes.toString('utf8', 0, end).split('\n')) {
        const record = parseLine(line)
        if (record) onRecord(record)
      }
    }
    await wait(LOOK_MS)
  }
}
