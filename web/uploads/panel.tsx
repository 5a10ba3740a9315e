// The Activity panel: uploads and the work of the server, what runs, how fast, what failed and why, and every way to
// steer it. The rows of jobs are in jobs.tsx.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Bell, Check, ChevronDown, History, Pause, Play, TriangleAlert, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type Snapshot, useSnapshot } from 'valtio'
import type { Job } from '../../src/job-types.ts'
import { formatList, formatMoment, formatNumber, formatPercent, formatSize } from '../lib/format.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { nameOf } from '../lib/paths.ts'
import { dismissJobs } from '../operations/follow-jobs.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError } from '../operations/toasts.ts'
import { jobs } from '../state/jobs.ts'
import {
  collapseUploads,
  type InterruptedUpload,
  isUploading,
  uploadPercent,
  uploads,
} from '../state/uploads.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Ring, Spinner } from '../ui/progress.tsx'
import { continueUpload } from './drop/continue-upload.ts'
import { takeBackAll } from './ended.ts'
import { pickFiles } from './entry.ts'
import { JobList } from './jobs.tsx'
import { askToNotify, offersNotification } from './notify.ts'
import styles from './panel.css?url'
import { discardInterrupted } from './resume.ts'
import { UploadRows } from './rows.tsx'
import { cancelAll, dismissUploads, pauseAll, resumeAll, retryFailed } from './run.ts'
import { formatTimeLeft } from './speed.ts'

await loadStylesheet(styles)

/** A finished panel goes by itself after this time, unless somebody looks at it. */
const DONE_FOR_MS = 6000
/** As long as other things can be undone. */
const UNDO_FOR_MS = 10_000

type State = ReturnType<typeof useSnapshot<typeof uploads>>

export function ActivityPanel() {
  const { t } = useLingui()
  const state = useSnapshot(uploads)
  const { list: shownJobs, everybody } = useSnapshot(jobs)
  const list = shownJobs as readonly Job[]
  const [watched, setWatched] = useState(false)
  const panel = useRef<HTMLElement>(null)
  const busy = isUploading(state)
  const finished = state.shown && !busy && state.failed === 0
  const staysMs = state.ended.length > 0 ? UNDO_FOR_MS : DONE_FOR_MS
  const isDone = !everybody && list.length > 0 && list.every((job) => job.state === 'done')
  const showQueue = state.shown && !state.collapsed

  useEffect(() => {
    if (!finished || watched) return
    const timer = setTimeout(dismissUploads, staysMs)
    return () => clearTimeout(timer)
  }, [finished, watched, staysMs])

  useEffect(() => {
    if (!isDone || watched) return
    const timer = setTimeout(dismissJobs, DONE_FOR_MS)
    return () => clearTimeout(timer)
  }, [isDone, watched])

  return (
    <section
      ref={panel}
      className="up upload-files"
      aria-label={t`Activity`}
      onPointerEnter={() => setWatched(true)}
      onPointerLeave={() => setWatched(false)}
      onFocus={() => setWatched(true)}
      onBlur={() => setWatched(panel.current?.matches(':hover') === true)}
    >
      {(showQueue || state.interrupted.length > 0) && (
        <section className="up__part" aria-label={t`Uploads`}>
          {state.interrupted.map((batch) => (
            <InterruptedNotice key={batch.id} batch={batch} />
          ))}
          {showQueue && (
            <>
              <PanelHead state={state} busy={busy} />
              <UploadRows revision={state.revision} hold={state.hold} />
              <PanelFoot state={state} busy={busy} />
            </>
          )}
        </section>
      )}
      {(list.length > 0 || everybody) && !state.collapsed && (
        <JobList list={list} canHide={!showQueue || !busy} />
      )}
    </section>
  )
}

function PanelHead({ state, busy }: { state: State; busy: boolean }) {
  const { t } = useLingui()
  const percent = uploadPercent(state)
  return (
    <header className="up__head row">
      {busy ? (
        <Ring percent={percent} label={t`All uploads`} />
      ) : state.failed > 0 ? (
        <span className="up__mark center rigid tone-danger">
          <TriangleAlert className="i" aria-hidden />
        </span>
      ) : (
        <span className="up__mark center rigid tone-ok">
          <Check className="i" aria-hidden />
        </span>
      )}
      <div className="grow">
        <strong className="up__title">
          <Title state={state} busy={busy} />
        </strong>
        <span className="up__sub num fs-sm mid">
          <Details state={state} busy={busy} />
        </span>
      </div>
      {busy && state.files > 0 && state.hold === null && (
        <IconButton icon={Pause} label={t`Pause all`} onClick={pauseAll} />
      )}
      {busy && state.hold !== null && state.hold !== 'offline' && (
        <IconButton icon={Play} label={t`Resume all`} onClick={resumeAll} />
      )}
      {busy ? (
        <IconButton
          icon={ChevronDown}
          label={t`Hide activity`}
          onClick={() => collapseUploads(true)}
        />
      ) : (
        <IconButton icon={X} label={t`Close`} onClick={dismissUploads} />
      )}
    </header>
  )
}

function Title({ state, busy }: { state: State; busy: boolean }) {
  const { files, done, failed, active, hold, skipped } = state
  if (!busy) {
    if (failed > 0) {
      return <Plural value={failed} one="# upload failed" other="# uploads failed" />
    }
    if (done === 0 && skipped > 0) {
      return (
        <Plural value={skipped} one="# file was there already" other="# files were there already" />
      )
    }
    return <Plural value={done} one="# file uploaded" other="# files uploaded" />
  }
  if (files === 0) return <Trans>Preparing upload…</Trans>
  if (hold === 'paused') return <Trans>Uploads paused</Trans>
  if (hold === 'offline') return <Trans>Waiting for the connection</Trans>
  if (hold === 'signed-out') return <Trans>Waiting for you to sign in</Trans>
  if (hold === 'no-space') return <Trans>The server is full</Trans>
  if (hold === 'folder-full') return <Trans>The folder is full</Trans>
  const at = Math.min(files, Math.max(1, done + failed + active))
  const atText = formatNumber(at)
  return (
    <Plural
      value={files}
      one={`Uploading ${atText} of # file`}
      other={`Uploading ${atText} of # files`}
    />
  )
}

function Details({ state, busy }: { state: State; busy: boolean }) {
  const { done, failed, skipped, preparing, bytesPerSecond, totalBytes, files } = state
  const percent = formatPercent(Math.floor(uploadPercent(state)))
  if (!busy) {
    return (
      <>
        {failed > 0 && done > 0 && (
          <Plural value={done} one="# file uploaded" other="# files uploaded" />
        )}
        {failed === 0 && totalBytes > 0 && done > 0 && formatSize(totalBytes)}
        {skipped > 0 && done > 0 && (
          <>
            {' · '}
            <Plural value={skipped} one="# already existed" other="# already existed" />
          </>
        )}
      </>
    )
  }
  if (files === 0 || (preparing > 0 && state.active === 0)) {
    return (
      <span className="row">
        <Spinner />
        <Plural value={files} _0="Scanning files…" one="# file found" other="# files found" />
      </span>
    )
  }
  if (state.hold !== null || state.active === 0) return <>{percent}</>
  const speed = formatSize(bytesPerSecond)
  const left = formatTimeLeft(state.secondsLeft)
  if (left === null) return <>{percent}</>
  return (
    <Trans>
      {speed}/s · {left} left · {percent}
    </Trans>
  )
}

function PanelFoot({ state, busy }: { state: State; busy: boolean }) {
  const { t } = useLingui()
  const sent = formatSize(Math.min(state.sentBytes, state.totalBytes))
  const total = formatSize(state.totalBytes + state.failedBytes)

  const ended = useRef(new AbortController())
  useEffect(() => {
    if (!busy) return
    const { current } = ended
    return () => {
      current.abort()
      ended.current = new AbortController()
    }
  }, [busy])

  async function onCancelAll() {
    const answer = await openPrompt(
      'confirm',
      {
        title: t`Cancel all uploads?`,
        text: t`Files already uploaded will be kept. Unfinished uploads will be removed from the server.`,
        answers: [{ id: 'cancel', label: t`Cancel uploads`, tone: 'danger' }],
        cancelLabel: t`Keep uploading`,
      },
      ended.current.signal,
    )
    if (answer === 'cancel') cancelAll()
  }

  function onUndo() {
    takeBackAll().catch(toastError)
    dismissUploads()
  }

  const canUndo = !busy && state.ended.length > 0
  const hasBytes = (busy || state.failed > 0) && state.totalBytes > 0
  if (!busy && !hasBytes && state.failed < 2 && !canUndo) return null
  return (
    <footer className="up__foot row fs-sm mid line-top">
      <span className="num">
        {hasBytes && (
          <Trans>
            {sent} of {total}
          </Trans>
        )}
      </span>
      <span className="row">
        {busy && offersNotification(state.secondsLeft) && <NotifyButton />}
        {state.failed > 1 && (
          <Button size="sm" onClick={retryFailed}>
            <Trans>Retry failed</Trans>
          </Button>
        )}
        {canUndo && (
          <Button size="sm" onClick={onUndo}>
            <Trans>Undo</Trans>
          </Button>
        )}
        {busy && (
          <Button size="sm" tone="danger-text" onClick={() => onCancelAll()}>
            <Trans>Cancel all</Trans>
          </Button>
        )}
      </span>
    </footer>
  )
}

function NotifyButton() {
  const [isAsked, setIsAsked] = useState(false)
  if (isAsked) return null
  return (
    <Button size="sm" icon={Bell} onClick={() => void askToNotify().then(() => setIsAsked(true))}>
      <Trans>Notify me when done</Trans>
    </Button>
  )
}

function InterruptedNotice({ batch }: { batch: Snapshot<InterruptedUpload> }) {
  const { t } = useLingui()
  const left = batch.files - batch.doneFiles
  const target = batch.targetPath === '/' ? t`My files` : nameOf(batch.targetPath)
  const names = formatList(batch.names)
  const more = left - batch.names.length
  const when = formatMoment(batch.startedAtMs)
  const size = formatSize(batch.leftBytes)

  async function onDiscard() {
    const answer = await openPrompt('confirm', {
      title: t`Discard the interrupted upload?`,
      text: t`Files already uploaded will be kept. Unfinished uploads will be removed from the server.`,
      answers: [{ id: 'discard', label: t`Discard`, tone: 'danger' }],
    })
    if (answer === 'discard') await discardInterrupted(batch.id)
  }

  return (
    <section className="up__cut" aria-label={t`Interrupted upload`}>
      <span className="up__mark center rigid tone-warn">
        <History className="i" aria-hidden />
      </span>
      <div className="grow">
        <strong>
          <Plural
            value={left}
            one="# file didn’t finish uploading"
            other="# files didn’t finish uploading"
          />
        </strong>
        <p className="up__cutwords fs-md mid">
          <bdi>{names}</bdi>
          {more > 0 && (
            <>
              {' '}
              <Plural value={more} one="and # more" other="and # more" />
            </>
          )}{' '}
          <Trans>
            to “<bdi>{target}</bdi>”, {size}, started: {when}
          </Trans>
        </p>
        <p className="up__cutwords fs-md mid">
          {batch.canContinue ? null : batch.fromFolder ? (
            <Trans>
              Choose the same folder again to resume. What’s already uploaded won’t be sent again.
            </Trans>
          ) : (
            <Trans>
              Choose the same files again to resume. What’s already uploaded won’t be sent again.
            </Trans>
          )}
        </p>
        <div className="row up__cutacts">
          {batch.canContinue && (
            <Button
              size="sm"
              tone="fill"
              onClick={() => continueUpload(batch.id, batch.targetPath)}
            >
              <Trans>Resume upload</Trans>
            </Button>
          )}
          <Button
            size="sm"
            tone={batch.canContinue ? 'line' : 'fill'}
            onClick={() => pickFiles(batch.fromFolder ? 'folder' : 'files', batch.targetPath)}
          >
            {batch.fromFolder ? <Trans>Choose folder</Trans> : <Trans>Choose files</Trans>}
          </Button>
          <Button size="sm" tone="line" onClick={() => onDiscard()}>
            <Trans>Discard</Trans>
          </Button>
        </div>
      </div>
    </section>
  )
}
