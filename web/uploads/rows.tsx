// The files of the upload panel; only the rows in sight are in the page.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { CircleCheck, Pause, Play, RotateCw, X } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import { lockText } from '../api/error-text.ts'
import { previewUrl } from '../api/files.ts'
import { boot } from '../lib/boot.ts'
import { fileClassOf } from '../lib/file-class.ts'
import { formatPercent } from '../lib/format.ts'
import { useRows } from '../lib/page/use-rows.ts'
import { type Hold, percentOf } from '../state/uploads.ts'
import { IconButton } from '../ui/button.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { ProgressBar } from '../ui/progress.tsx'
import { resolveTaken } from './add.ts'
import {
  cancelUpload,
  isRetryable,
  pauseUpload,
  resumeUpload,
  retryUpload,
  uploadRows,
} from './run.ts'
import { type UploadFailureCode, type UploadItem, weightOf } from './upload-item.ts'

const ROW_HEIGHT_PX = 46

/** `revision` changes with the rows; they are asked of the queue, not copied into state. */
export function UploadRows({ hold }: { revision: number; hold: Hold | null }) {
  const { t } = useLingui()
  const list = useRef<HTMLDivElement>(null)
  const rows = uploadRows()
  const virtual = useRows(() => list.current, rows.length, ROW_HEIGHT_PX, {
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  return (
    <div ref={list} className="up__list scrolls" tabIndex={-1}>
      <ul aria-label={t`Files being uploaded`} style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const item = rows[index]
          if (item === undefined) return null
          return (
            <li
              key={item.id}
              className="up__row row"
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ translate: `0 ${start}px` }}
            >
              <Row item={item} hold={hold} list={list} />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

interface RowProps {
  item: UploadItem
  hold: Hold | null
  list: RefObject<HTMLDivElement | null>
}

function Row({ item, hold, list }: RowProps) {
  const { t } = useLingui()
  const { name, state, failure } = item
  const isDir = item.file === null && failure !== 'unreadable'
  const hint = failure === null ? undefined : failureHint(failure, item.lock)

  /** The button pressed is gone afterwards; the focus stays in the panel. */
  const keepFocus = () => list.current?.focus({ preventScroll: true })

  return (
    <>
      <FileTile entry={{ name, isDir }} thumbnail={thumbnailUrl(item)} />
      <div className="grow">
        <div className="up__line">
          <span className="trunc grow" title={name}>
            <bdi className="trunc">{name}</bdi>
          </span>
          <span
            className={
              state === 'failed'
                ? 'up__state up__state--bad nowrap fs-sm'
                : 'up__state num nowrap fs-sm'
            }
            data-tip={hint}
          >
            <StateText item={item} hold={hold} />
          </span>
        </div>
        {state !== 'done' && (
          <ProgressBar
            percent={percentOf(item.sentBytes, weightOf(item))}
            label={name}
            tone={state === 'failed' ? 'bad' : 'accent'}
          />
        )}
      </div>
      <span className="up__acts rigid">
        {state === 'active' && (
          <IconButton
            size="sm"
            icon={Pause}
            label={t`Pause ${name}`}
            onClick={() => pauseUpload(item.id)}
          />
        )}
        {state === 'paused' && (
          <IconButton
            size="sm"
            icon={Play}
            label={t`Resume ${name}`}
            onClick={() => resumeUpload(item.id)}
          />
        )}
        {state === 'failed' && isRetryable(item) && (
          <IconButton
            size="sm"
            icon={RotateCw}
            label={t`Retry ${name}`}
            onClick={() => {
              if (failure === 'exists') void resolveTaken(item)
              else retryUpload(item.id)
              keepFocus()
            }}
          />
        )}
        {state === 'done' ? (
          <CircleCheck className="i up__tick" aria-hidden />
        ) : (
          <IconButton
            size="sm"
            icon={X}
            label={state === 'failed' ? t`Remove ${name}` : t`Cancel ${name}`}
            onClick={() => {
              cancelUpload(item.id)
              keepFocus()
            }}
          />
        )}
      </span>
    </>
  )
}

function StateText({ item, hold }: { item: UploadItem; hold: Hold | null }) {
  const { t } = useLingui()
  if (item.failure !== null) return failureText(item.failure)
  if (item.state === 'done') return t`Done`
  if (item.state === 'paused' || (hold === 'paused' && item.sentBytes > 0)) return t`Paused`
  if (item.state === 'waiting') return t`Waiting`
  return formatPercent(Math.floor(percentOf(item.sentBytes, weightOf(item))))
}

/** Finished pictures show what the server made of them. */
function thumbnailUrl(item: UploadItem): string | undefined {
  if (item.state !== 'done' || item.file === null || !boot.EnableThumbs) return undefined
  if (fileClassOf({ name: item.name, isDir: false }) !== 'image') return undefined
  if (!item.file.type.startsWith('image/')) return undefined
  const modified = new Date(item.file.lastModified).toISOString()
  return previewUrl({ path: item.vpath, modified }, 'thumb')
}

const texts: Partial<Record<UploadFailureCode, MessageDescriptor>> = {
  unauthenticated: msg`Signed out`,
  second_factor_required: msg`Signed out`,
  wrong_credentials: msg`Signed out`,
  forbidden: msg`No permission`,
  token_not_allowed: msg`No permission`,
  download_forbidden: msg`No permission`,
  not_found: msg`Folder no longer exists`,
  exists: msg`Name is taken`,
  conflict: msg`In use`,
  precondition_failed: msg`Changed during upload`,
  too_large: msg`Too large for the server`,
  locked: msg`In use`,
  too_many_requests: msg`Server is busy`,
  not_a_folder: msg`Name is taken`,
  is_a_folder: msg`Name is taken`,
  incomplete: msg`Server error`,
  damaged: msg`Server error`,
  sign_in_unavailable: msg`Signed out`,
  disk_failed: msg`Server error`,
  internal: msg`Server error`,
  not_implemented: msg`Not supported`,
  no_space: msg`Server is full`,
  quota_exceeded: msg`Folder is full`,
  unreachable: msg`Disk isn’t responding`,
  network: msg`Connection lost`,
  timeout: msg`Connection lost`,
  unreadable: msg`Can’t be read`,
}
const refused = msg`Refused by the server`

const unreadableHint = msg`This file or folder can’t be read on your device. It may have been moved or deleted, or you may not have permission.`
const takenHint = msg`An item with this name was added in the meantime. Try again to choose which one to keep.`
const fullHint = msg`There isn’t enough space left on the server. Free some, then try again.`

const limitHint = msg`This would exceed the folder’s limit. Delete something in it, or ask your administrator for more.`

function failureText(code: UploadFailureCode): string {
  return i18n._(texts[code] ?? refused)
}

/** A longer explanation, where there is more to say; undefined otherwise. */
function failureHint(code: UploadFailureCode, lock: UploadItem['lock']): string | undefined {
  if (code === 'locked' && lock !== undefined) return lockText(lock)
  if (code === 'unreadable') return i18n._(unreadableHint)
  if (code === 'exists') return i18n._(takenHint)
  if (code === 'no_space') return i18n._(fullHint)
  if (code === 'quota_exceeded') return i18n._(limitHint)
  return undefined
}
