// What the server goes on with by itself, in the Activity panel: how far it is, why something was not done, and
// every way to steer it.

import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import {
  ArrowRight,
  Ban,
  Check,
  ChevronDown,
  Copy,
  FileArchive,
  FolderInput,
  FolderOpen,
  Globe,
  Hourglass,
  type LucideIcon,
  PackageOpen,
  Pause,
  Play,
  Trash2,
  TriangleAlert,
  Users,
  X,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import type { Job, JobFailure, JobKind } from '../../src/job-types.ts'
import { messageOf } from '../api/error-text.ts'
import { listUsers } from '../api/users.ts'
import { hasHistory } from '../lib/boot.ts'
import { formatNumber, formatPercent, formatSize } from '../lib/format.ts'
import { goHref } from '../lib/page/navigate.ts'
import { network } from '../lib/page/network.ts'
import { filesHref, joinPath, nameOf, parentOf, shownName } from '../lib/paths.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import {
  dismissJobs,
  failureAs,
  givePassword,
  isOwn,
  showEverybody,
  steerJob,
} from '../operations/follow-jobs.ts'
import { selectOnArrival } from '../operations/open-folder.ts'
import { toastError } from '../operations/toasts.ts'
import { takeBack } from '../operations/undo-record.ts'
import { hasEnded, jobPercent, jobs, needsPassword } from '../state/jobs.ts'
import { permissions, session } from '../state/session.ts'
import { collapseUploads } from '../state/uploads.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { ProgressBar } from '../ui/progress.tsx'
import { formatTimeLeft } from './speed.ts'

/** Of what was not done, so many are named. */
const NAMED_ERRORS = 3

/** `canHide` unless another part of the panel has the button for that. */
export function JobList({ list, canHide }: { list: readonly Job[]; canHide: boolean }) {
  const { t } = useLingui()
  const { everybody } = useSnapshot(jobs)
  const names = useNames(everybody)
  const isBusy = list.some((job) => !hasEnded(job))
  return (
    <>
      <header className="up__head up__head--jobs row">
        <strong className="up__title grow">
          <Trans>Activity</Trans>
        </strong>
        {permissions().admin && (
          <IconButton
            icon={Users}
            label={t`Everyone’s activity`}
            pressed={everybody}
            onClick={() => void showEverybody(!everybody)}
          />
        )}
        {isBusy && canHide && (
          <IconButton
            icon={ChevronDown}
            label={t`Hide activity`}
            onClick={() => collapseUploads(true)}
          />
        )}
        {!isBusy && <IconButton icon={X} label={t`Close`} onClick={close} />}
      </header>
      {list.length === 0 && (
        <p className="up__none mid">
          <Trans>Nothing is running.</Trans>
        </p>
      )}
      <ul className="up__jobs scrolls" aria-label={t`Activity`}>
        {list.map((job) => (
          <JobRow key={job.id} job={job} account={names.get(job.userID)} />
        ))}
      </ul>
    </>
  )
}

const icons: Partial<Record<JobKind, LucideIcon>> = {
  copy: Copy,
  move: FolderInput,
  delete: Trash2,
  empty: Trash2,
  compress: FileArchive,
  extract: PackageOpen,
  fetch: Globe,
}

function close(): void {
  dismissJobs()
  if (jobs.everybody) void showEverybody(false)
}

/** The names of accounts, where those of others are shown. */
function useNames(isAsked: boolean): ReadonlyMap<number, string> {
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map())
  useEffect(() => {
    if (!isAsked) return setNames(new Map())
    const control = new AbortController()
    listUsers(control.signal)
      .then((users) => setNames(new Map(users.map(({ id, username }) => [id, username]))))
      .catch(toastError)
    return () => control.abort()
  }, [isAsked])
  return names
}

function JobRow({ job, account }: { job: Job; account: string | undefined }) {
  const { kind, state } = job
  const title = useTitle(job)
  const ended = hasEnded(job)
  const [tone, Icon] =
    state === 'done'
      ? ['ok', Check]
      : state === 'failed'
        ? ['danger', TriangleAlert]
        : ['accent', state === 'cancelled' ? Ban : (icons[kind] ?? Hourglass)]
  return (
    <li className="up__job" aria-label={title}>
      <span className={`up__mark center rigid tone-${tone}`}>
        <Icon className="i" aria-hidden />
      </span>
      <div className="grow">
        <div className="up__jobtitle">{title}</div>
        {account !== undefined && (
          <p className="fs-sm mid">
            <bdi>{account}</bdi>
          </p>
        )}
        <Facts job={job} />
        {state !== 'done' && state !== 'failed' && <Way job={job} />}
        {!ended && (
          <ProgressBar
            percent={jobPercent(job)}
            label={title}
            tone={state === 'running' || state === 'queued' ? 'accent' : 'warn'}
          />
        )}
        {state === 'failed' && <Reasons job={job} />}
        {(ended || state === 'waiting') && <Afterwards job={job} />}
      </div>
      <Steering job={job} />
    </li>
  )
}

/** What is being worked on, and where it goes. */
function Way({ job: { current, items, to, url } }: { job: Job }) {
  const path = current ?? items[0] ?? url
  if (path === undefined) return null
  return (
    <p className="up__way fs-sm mid">
      <span className="trunc" title={path}>
        <bdi className="trunc">{shownName(nameOf(path))}</bdi>
      </span>
      {to !== null && (
        <>
          <ArrowRight className="i i-sm rigid flip" aria-hidden />
          <span className="trunc" title={to}>
            <bdi className="trunc">{folderTitle(to)}</bdi>
          </span>
        </>
      )}
    </p>
  )
}

function useTitle({ kind, state, to, items, itemCount: count, filesDone: gone, url }: Job): string {
  const { t } = useLingui()
  if (state === 'failed') return t`Some items couldn’t be processed.`
  const folder = folderTitle(to ?? '/')
  // What a file that is fetched is called is known when it comes.
  const name = shownName(nameOf(items[0] ?? url ?? '/'))
  const done: Partial<Record<JobKind, string>> = {
    copy: plural(count, {
      one: `Copied # item to “${folder}”`,
      other: `Copied # items to “${folder}”`,
    }),
    move: plural(count, {
      one: `Moved # item to “${folder}”`,
      other: `Moved # items to “${folder}”`,
    }),
    delete: plural(gone, { one: 'Deleted # item', other: 'Deleted # items' }),
    empty: plural(gone, { one: 'Deleted # item', other: 'Deleted # items' }),
    compress: plural(count, { one: 'Compressed # item', other: 'Compressed # items' }),
    extract: t`Extracted “${name}”`,
    fetch: t`Fetched “${name}”`,
  }
  if (state === 'done') return done[kind] ?? t`Done`
  const doing: Partial<Record<JobKind, string>> = {
    copy: plural(count, { one: 'Copying # item…', other: 'Copying # items…' }),
    move: plural(count, { one: 'Moving # item…', other: 'Moving # items…' }),
    delete: plural(count, { one: 'Deleting # item…', other: 'Deleting # items…' }),
    restore: plural(count, { one: 'Restoring # item…', other: 'Restoring # items…' }),
    empty: t`Emptying the trash…`,
    compress: plural(count, { one: 'Compressing # item…', other: 'Compressing # items…' }),
    extract: t`Extracting “${name}”…`,
    fetch: t`Fetching “${name}”…`,
  }
  const working = plural(count, { one: 'Working on # item…', other: 'Working on # items…' })
  return doing[kind] ?? working
}

function Facts({ job }: { job: Job }) {
  const { online } = useSnapshot(network)
  const { state: sessionState } = useSnapshot(session)
  const { state, bytesPerSecond, secondsLeft } = job
  const line = (children: ReactNode) => <p className="num fs-sm mid">{children}</p>
  if (state === 'waiting') return line(<Trans>Waiting for the password</Trans>)
  if (state === 'queued') return line(<Trans>Waiting for other work</Trans>)
  const far = line(<HowFar job={job} />)
  if (state === 'paused' || state === 'cancelled') {
    return (
      <>
        {line(state === 'paused' ? <Trans>Paused</Trans> : <Trans>Cancelled</Trans>)}
        {far}
      </>
    )
  }
  if (state !== 'running') return job.filesDone > 0 && far
  if (!online) return line(<Trans>Waiting for the connection</Trans>)
  if (sessionState === 'expired') return line(<Trans>Waiting for you to sign in</Trans>)
  const speed = formatSize(bytesPerSecond ?? 0)
  const left = formatTimeLeft(secondsLeft)
  const percent = formatPercent(Math.floor(jobPercent(job)))
  return (
    <>
      {far}
      {(bytesPerSecond ?? secondsLeft ?? 0) > 0 &&
        line(
          left === null ? (
            percent
          ) : (
            <Trans>
              {speed}/s · {left} left · {percent}
            </Trans>
          ),
        )}
    </>
  )
}

function HowFar({ job }: { job: Job }) {
  const { kind, filesDone: files, bytesDone, bytesTotal } = job
  // How many are in an archive is known at its end.
  const all = kind === 'extract' ? null : job.filesTotal
  const atText = formatNumber(files)
  const sent = formatSize(bytesDone)
  const total = formatSize(bytesTotal ?? 0)
  if (all === null && files === 0 && bytesDone === 0) return null
  const isOver = (all === null || files === all) && bytesDone === bytesTotal
  return (
    <>
      {all === null || isOver ? (
        <Plural value={files} one="# file" other="# files" />
      ) : (
        <Plural value={all} one={`${atText} of # file`} other={`${atText} of # files`} />
      )}
      {bytesDone > 0 && ' · '}
      {bytesDone > 0 &&
        (bytesTotal === null || isOver ? (
          sent
        ) : (
          <Trans>
            {sent} of {total}
          </Trans>
        ))}
    </>
  )
}

/** Why something was not done, in words. */
function Reasons({ job }: { job: Job }) {
  const { t } = useLingui()
  const { reason, errors, errorCount } = job
  const named = errors.slice(0, NAMED_ERRORS)
  const more = errorCount - named.length
  const wordsOf = (failure: Pick<JobFailure, 'code' | 'lock'>) =>
    failure.code === 'invalid_password'
      ? t`The archive’s password is missing or incorrect.`
      : messageOf(failureAs(failure))
  return (
    <ul className="up__reasons fs-sm">
      {reason !== null && errors[0]?.code !== reason && <li>{wordsOf({ code: reason })}</li>}
      {named.map((failure) => (
        <li key={failure.path}>
          <strong className="up__reasonname" title={failure.path}>
            <bdi>{shownName(nameOf(failure.path))}</bdi>
          </strong>{' '}
          {wordsOf(failure)}
        </li>
      ))}
      {more > 0 && (
        <li>
          <Plural value={more} one="and # more" other="and # more" />
        </li>
      )}
    </ul>
  )
}

/** What can be done once it is over. */
function Afterwards({ job }: { job: Job }) {
  const { id, state, filesDone, operation, items, to } = job
  const folders = [...new Set(items.map(parentOf))].concat(to ?? [])
  const isKnown = hasHistory && operation !== ''
  const canUndo = hasEnded(job) && isKnown && filesDone > 0 && isOwn(job)
  const canRetry = state === 'failed' || state === 'cancelled'
  if (!canUndo && !canRetry && !needsPassword(job)) return null
  return (
    <div className="row up__cutacts">
      {needsPassword(job) && isOwn(job) ? (
        <Button size="sm" tone="line" onClick={() => givePassword(job)}>
          <Trans>Enter password…</Trans>
        </Button>
      ) : (
        canRetry && (
          <Button size="sm" tone="line" onClick={() => steerJob(id, 'retry')}>
            <Trans>Try again</Trans>
          </Button>
        )
      )}
      {canUndo && (
        <Button
          size="sm"
          onClick={() => {
            dismissJobs(id)
            takeBack(operation, folders).catch(toastError)
          }}
        >
          <Trans>Undo</Trans>
        </Button>
      )}
    </div>
  )
}

function Steering({ job }: { job: Job }) {
  const { t } = useLingui()
  const { id, kind, state, items } = job
  const name = shownName(nameOf(items[0] ?? job.url ?? '/'))
  const to = job.to ?? (kind === 'extract' ? parentOf(items[0] ?? '/') : null)
  const steer = (icon: LucideIcon, label: string, run: () => unknown) => (
    <IconButton size="sm" icon={icon} label={label} onClick={() => run()} />
  )

  async function show(folder: string) {
    if (state === 'done' && (kind === 'copy' || kind === 'move' || kind === 'fetch')) {
      const arrived = items.map((path) => joinPath(folder, nameOf(path)))
      selectOnArrival(folder, arrived)
    }
    await goHref(filesHref(folder, true))
  }

  return (
    <span className="up__acts rigid">
      {to !== null && isOwn(job) && steer(FolderOpen, t`Show in folder`, () => show(to))}
      {(state === 'running' || state === 'queued') &&
        steer(Pause, t`Pause`, () => steerJob(id, 'pause'))}
      {state === 'paused' && steer(Play, t`Resume ${name}`, () => steerJob(id, 'resume'))}
      {hasEnded(job)
        ? steer(X, t`Dismiss`, () => dismissJobs(id))
        : steer(X, t`Cancel`, () => steerJob(id, 'cancel'))}
    </span>
  )
}
