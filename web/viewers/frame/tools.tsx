// The small parts every viewer is dressed with: floating tool bar, messages, busy sign.

import { Trans, useLingui } from '@lingui/react/macro'
import { Download, RotateCw, TextAlignStart, TriangleAlert } from 'lucide-react'
import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import type { Read } from '../../lib/page/use-read.ts'
import { Button, IconButton, type IconButtonProps } from '../../ui/button.tsx'
import { Spinner } from '../../ui/progress.tsx'
import type { FileSource, ViewerProps } from './source.ts'

export function Tools({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="vw-tools vw-glass row" role="toolbar" aria-label={label} data-gestures="own">
      {children}
    </div>
  )
}

export function ToolRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="vw-row row line-bottom" role="toolbar" aria-label={label} data-gestures="own">
      {children}
    </div>
  )
}

export function Tool(props: Omit<IconButtonProps, 'size'>) {
  return <IconButton size="sm" {...props} />
}

interface TextToolProps {
  children: ReactNode
  /** What it does, where `children`, a short text, say too little; both are its name. */
  label?: string
  pressed?: boolean
  className?: string
  onClick(): void
}

export function TextTool({ children, label, pressed, className, onClick }: TextToolProps) {
  return (
    <Button
      size="sm"
      className={className}
      data-tip={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      {children}
      {label !== undefined && <span className="sr"> {label}</span>}
    </Button>
  )
}

export function ToolGap() {
  return <span className="vw-gap" aria-hidden="true" />
}

/** A turning sign that only shows when the wait is long enough to be noticed. */
export function Busy() {
  const { t } = useLingui()
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 400)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="vw-busy center covers mid" role="status" aria-label={t`Loading`}>
      {shown && <Spinner />}
    </div>
  )
}

export interface MessageProps {
  title: string
  /** What is wrong with the file where `error` does not say it; by default what `error` says. */
  children?: ReactNode
  /** What reading the file threw. Only an ApiError tells more than `children`. */
  error?: unknown
  source: FileSource
  entry: FileEntry
  /** Further ways on beside Download, unless nothing could be read. */
  actions?: ReactNode
}

/** What went wrong in plain words, with the ways that are still open. */
export function Message({ title, children, error, source, entry, actions }: MessageProps) {
  const tooLarge = error instanceof ApiError && error.code === 'too_large'
  // Nothing is known of the file then, and a download would fail as the reading did.
  const unread = error instanceof ApiError && !tooLarge
  const text = unread ? (
    messageOf(error)
  ) : tooLarge ? (
    <Trans>This file is too large to open in the browser.</Trans>
  ) : (
    (children ?? (error !== undefined && messageOf(error)))
  )
  return (
    <div className="vw-message mid stack" role="alert">
      <TriangleAlert size={40} strokeWidth={1.25} aria-hidden="true" />
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      <div className="vw-message-actions">
        {unread && <TryAgainButton />}
        {!unread && source.permissions.download && (
          <Button tone="fill" icon={Download} onClick={() => source.download(entry)}>
            <Trans>Download</Trans>
          </Button>
        )}
        {!unread && actions}
      </div>
    </div>
  )
}

/** Why a file of parts cannot be shown; `children` say what is wrong with a damaged one. */
export function UnreadReason({ reason, children }: { reason: unknown; children?: ReactNode }) {
  if (reason === 'encrypted') return <Trans>This item is protected by a password.</Trans>
  if (reason === 'too_large') return <Trans>This file is too large to open in the browser.</Trans>
  return children ?? <Trans>The file is damaged or its format isn’t supported.</Trans>
}

/** In place of a file that is still being read, or could not be. */
export function Unready({ read, ...message }: MessageProps & { read: Read<unknown> }) {
  return read.state === 'failed' ? <Message {...message} error={read.error} /> : <Busy />
}

/** Shows the same file as text; `children` name the way there. */
export function AsText({
  openAs,
  children,
}: Pick<ViewerProps, 'openAs'> & { children?: ReactNode }) {
  return (
    <Button size="sm" icon={TextAlignStart} onClick={() => openAs('text')}>
      {children ?? <Trans>Open as text</Trans>}
    </Button>
  )
}

/** Has the boundary make the whole viewer anew; null where nothing can be tried again. */
export const TryAgain = createContext<(() => void) | null>(null)

/** Makes the viewer anew, which reads the file again. */
export function TryAgainButton() {
  const tryAgain = use(TryAgain)
  if (tryAgain === null) return null
  return (
    <Button tone="fill" icon={RotateCw} onClick={tryAgain}>
      <Trans>Try again</Trans>
    </Button>
  )
}
