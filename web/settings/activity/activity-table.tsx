// Lines of the audit log as a table, and further ones on demand.

import { Trans, useLingui } from '@lingui/react/macro'
import type { AuditRecord, AuditResult } from '../../../src/audit-types.ts'
import { type AuditFilter, readAudit } from '../../api/audit.ts'
import { formatNumber, formatSize } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { PathText } from '../../ui/path-text.tsx'
import { WhenLoaded } from '../parts.tsx'
import { StackTable } from '../stack-table.tsx'
import { useLoad } from '../use-load.ts'
import { useOlder } from '../use-older.tsx'
import { useActionWords, useResultWords, useVisitorWords } from './words.ts'

const TONES = { refused: 'warn', failed: 'danger', broken: 'plain' } as const

/** What the filter asks for, the newest first. */
export function Activity({ filter }: { filter: AuditFilter }) {
  const key = JSON.stringify(filter)
  const first = useLoad(`activity ${key}`, (signal) => readAudit(filter, '', signal))
  return (
    <WhenLoaded loaded={first}>
      {({ lines, next, target }) =>
        target === 'file' ? (
          <Lines key={key} filter={filter} lines={lines} next={next} />
        ) : (
          <EmptyState art="search" title={<Trans>Nothing is kept here</Trans>}>
            {target === 'off' ? (
              <Trans>The activity log is switched off on this server.</Trans>
            ) : (
              <Trans>The server writes its activity log to its own output.</Trans>
            )}
          </EmptyState>
        )
      }
    </WhenLoaded>
  )
}

function Lines({
  filter,
  lines,
  next,
}: {
  filter: AuditFilter
  lines: readonly AuditRecord[]
  next: string | null
}) {
  const { t } = useLingui()
  const { older, more } = useOlder(next, async (from) => {
    const page = await readAudit(filter, from)
    return { items: page.lines, next: page.next }
  })
  const hasPaths = filter.share === undefined

  if (lines.length === 0) return <EmptyState art="search" title={<Trans>No activity</Trans>} />
  return (
    <>
      <StackTable
        heads={
          <>
            <th style={{ inlineSize: '24%' }}>{t`What`}</th>
            <th style={{ inlineSize: '32%' }}>{t`Where`}</th>
            <th>{hasPaths ? t`Who` : t`Address`}</th>
            <th>{t`When`}</th>
          </>
        }
      >
        {[...lines, ...older].map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no name and are only added behind
          <Line key={at} line={line} />
        ))}
      </StackTable>
      {more}
    </>
  )
}

function Line({ line }: { line: AuditRecord }) {
  const { t } = useLingui()
  const actions = useActionWords()
  const visitor = useVisitorWords()
  const { action, address, time, bytes, times } = line
  const who = visitor(line)
  return (
    <tr>
      <td>
        <span className="row activity__what wraps">
          <span>{actions[action] ?? action}</span>
          <Outcome result={line.result} />
        </span>
        <small className="dim">
          {times !== undefined && `${formatNumber(times)} ×`}
          {times !== undefined && bytes !== undefined && ' · '}
          {bytes !== undefined && <span className="nowrap">{formatSize(bytes)}</span>}
        </small>
      </td>
      <td data-label={t`Where`} className="activity__where">
        <Place line={line} />
      </td>
      <td className="activity__who" data-label={t`Who`}>
        {who !== undefined && <bdi>{who}</bdi>}
        {address !== undefined && (
          <small className="dim">
            <bdi dir="ltr">{address}</bdi>
          </small>
        )}
      </td>
      <td className="mid" data-label={t`When`}>
        <DateText moment={time} />
      </td>
    </tr>
  )
}

function Outcome({ result }: { result: AuditResult }) {
  const words = useResultWords()
  if (result === 'ok') return null
  return <Badge tone={TONES[result]}>{words[result]}</Badge>
}

/** The path below the served folder, since two people's paths of one name differ. */
function Place({ line: { path, place, to, target, names } }: { line: AuditRecord }) {
  const shown = place ?? path ?? target
  if (shown === undefined) return null
  return (
    <>
      <PathText path={shown} />
      {to !== undefined && (
        <small className="dim">
          <Trans>
            to <bdi>{to}</bdi>
          </Trans>
        </small>
      )}
      {names !== undefined && (
        <small className="dim trunc">
          <bdi>{names.join(' · ')}</bdi>
        </small>
      )}
    </>
  )
}
