// Bars between header and text: a draft to take up again, a file that changed underneath, characters
// that the encoding has no place for. Each says what happened and offers the ways on.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import {
  FileDiff,
  GitCompareArrows,
  History,
  Lock,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { isTooLarge } from '../api/text-files.ts'
import { formatDistanceInText } from '../lib/format.ts'
import { toastError } from '../operations/toasts.ts'
import { abilitiesOn } from '../state/rights.ts'
import { encodingLabel, UTF8 } from '../text/encodings.ts'
import { Button, type ButtonProps } from '../ui/button.tsx'
import { goTo } from './code-pane.tsx'
import { currentView, discardDraft, restoreDraft } from './current-file.ts'
import { compareWithDisk, compareWithDraft, reloadFromDisk, stopComparing } from './disk-version.ts'
import { editor, type Unencodable } from './editor-state.ts'
import { saveAs } from './open-file.ts'
import { NoText } from './unavailable.tsx'

interface NoticesProps {
  onSave(overwrite: boolean): void
}

export function Notices({ onSave }: NoticesProps) {
  const { notice, comparing, readOnly } = useSnapshot(editor)
  return (
    <>
      {readOnly === 'encoding' && (
        <Bar icon={Lock}>
          <Trans>
            Some bytes in this file aren’t valid in the selected encoding, so it’s read-only. To
            edit it, choose another encoding in the status bar.
          </Trans>
        </Bar>
      )}
      {readOnly === 'binary' && (
        <Bar icon={Lock}>
          <NoText />
        </Bar>
      )}
      {comparing !== null && <ComparingBar with={comparing.with} onSave={onSave} />}
      {comparing === null && notice?.kind === 'draft' && (
        <DraftBar savedAtMs={notice.draft.savedAtMs} />
      )}
      {notice?.kind === 'changed' && <ChangedBar onSave={onSave} />}
      {notice?.kind === 'gone' && <GoneBar onSave={onSave} />}
      {notice?.kind === 'unencodable' && (
        <UnencodableBar problem={notice.problem} onSave={onSave} />
      )}
    </>
  )
}

interface Action extends ButtonProps {
  label: string
}

interface BarProps {
  icon: LucideIcon
  tone?: 'tone-warn' | 'tone-accent'
  children: ReactNode
  actions?: readonly (Action | false)[]
}

function Bar({ icon: Icon, tone, children, actions }: BarProps) {
  const buttons = actions?.filter((action) => action !== false)
  const bar = useRef<HTMLDivElement>(null)
  // Its buttons go with it; whoever pressed one goes on in the text.
  useLayoutEffect(() => {
    const { current } = bar
    return () => {
      if (current?.contains(document.activeElement)) currentView()?.focus()
    }
  }, [])
  return (
    <div
      ref={bar}
      className={`ed-bar row rigid wraps fs-md line-bottom ${tone ?? 'mid sunken'}`}
      role="status"
    >
      <Icon className="i" aria-hidden />
      <p className="ed-bar__text shrinks">{children}</p>
      {buttons && (
        <div className="ed-bar__actions wraps">
          {buttons.map(({ label, ...button }) => (
            <Button key={label} size="sm" {...button}>
              {label}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

function run(task: () => Promise<void>) {
  return () =>
    void task().catch((error: unknown) => {
      toastError(isTooLarge(error) ? t`This file is too large to open in the browser.` : error)
    })
}

function DraftBar({ savedAtMs }: { savedAtMs: number }) {
  const { t } = useLingui()
  const age = formatDistanceInText(savedAtMs)
  return (
    <Bar
      tone="tone-accent"
      icon={History}
      actions={[
        { label: t`Discard draft`, onClick: run(discardDraft) },
        { label: t`Compare`, tone: 'line', onClick: compareWithDraft },
        { label: t`Restore`, tone: 'fill', onClick: restoreDraft },
      ]}
    >
      <Trans>You have an unsaved draft of this file ({age}).</Trans>
    </Bar>
  )
}

function ChangedBar({ onSave }: NoticesProps) {
  const { t } = useLingui()
  return (
    <Bar
      tone="tone-warn"
      icon={TriangleAlert}
      actions={[
        { label: t`Reload`, onClick: run(reloadFromDisk) },
        { label: t`Overwrite`, tone: 'danger-text', onClick: () => onSave(true) },
        { label: t`Compare`, tone: 'line', icon: FileDiff, onClick: run(compareWithDisk) },
      ]}
    >
      <Trans>
        Someone else has changed this file since you opened it. Your changes haven’t been saved.
      </Trans>
    </Bar>
  )
}

function GoneBar({ onSave }: NoticesProps) {
  const { t } = useLingui()
  const disabled = !abilitiesOn(editor.path).create && t`You don’t have permission to create files`
  return (
    <Bar
      tone="tone-warn"
      icon={TriangleAlert}
      actions={[
        { label: t`Save as a new file`, tone: 'line', disabled, onClick: () => onSave(true) },
      ]}
    >
      <Trans>
        This file has been moved or deleted since you opened it. Your text is still here.
      </Trans>
    </Bar>
  )
}

type Other = 'saved' | 'disk' | 'draft'

function ComparingBar({ with: other, onSave }: NoticesProps & { with: Other }) {
  const { t } = useLingui()
  const texts: Record<Other, string> = {
    saved: t`Comparing your changes with the saved version.`,
    disk: t`Comparing with the version on the server. Red lines exist only on the server, green lines only here.`,
    draft: t`Comparing the saved file with your draft. Red lines exist only in the draft.`,
  }
  const disk = other === 'disk'
  return (
    <Bar
      tone="tone-accent"
      icon={GitCompareArrows}
      actions={[
        { label: t`Stop comparing`, onClick: stopComparing },
        disk && { label: t`Use server version`, tone: 'line', onClick: run(reloadFromDisk) },
        disk && { label: t`Save this text`, tone: 'fill', onClick: () => onSave(false) },
        other === 'draft' && { label: t`Restore the draft`, tone: 'fill', onClick: restoreDraft },
      ]}
    >
      {texts[other]}
    </Bar>
  )
}

function UnencodableBar({ problem, onSave }: NoticesProps & { problem: Unencodable }) {
  const { t } = useLingui()
  const { encoding } = useSnapshot(editor)
  const { character, count } = problem
  const name = encodingLabel(encoding)
  function show() {
    const view = currentView()
    if (view === null) return
    const at = view.state.doc.toString().indexOf(character)
    const line = view.state.doc.lineAt(Math.max(0, at))
    goTo(view, line.number, at - line.from + 1)
  }
  function saveAsUtf8() {
    saveAs(UTF8)
    onSave(false)
  }
  return (
    <Bar
      tone="tone-warn"
      icon={TriangleAlert}
      actions={[
        { label: t`Show`, onClick: show },
        { label: t`Save as UTF-8`, tone: 'fill', onClick: saveAsUtf8 },
      ]}
    >
      {count === 1 ? (
        <Trans>
          {name} can’t represent “{character}”. Nothing has been saved yet.
        </Trans>
      ) : (
        <Trans>
          {name} can’t represent some characters, such as “{character}”. Nothing has been saved yet.
        </Trans>
      )}
    </Bar>
  )
}
