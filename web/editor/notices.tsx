// Bars between header and text: a draft to take up again, a file that changed underneath, characters
// that the encoding has no place for. Each says what happened and offers the ways on.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { FileDiff, GitCompareArrows, History, Lock, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSnapshot } from 'valtio'
import { isTooLarge } from '../api/text-files.ts'
import { formatNumber } from '../lib/format.ts'
import { toastError } from '../operations/toasts.ts'
import { permissions } from '../state/session.ts'
import { encodingLabel, UTF8 } from '../text/encodings.ts'
import { Button } from '../ui/button.tsx'
import { ageInSentence } from './age.ts'
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
        <Bar icon={<Lock className="i" aria-hidden />}>
          <Trans>
            Not every byte of this file is a character of the chosen encoding, so it can be read but
            not saved. Choose another encoding in the status bar to edit it.
          </Trans>
        </Bar>
      )}
      {readOnly === 'binary' && (
        <Bar icon={<Lock className="i" aria-hidden />}>
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

interface BarProps {
  icon: ReactNode
  tone?: 'warn' | 'info'
  children: ReactNode
  actions?: ReactNode
}

function Bar({ icon, tone, children, actions }: BarProps) {
  return (
    <div className={tone === undefined ? 'ed-bar' : `ed-bar ed-bar--${tone}`} role="status">
      {icon}
      <p className="ed-bar__text">{children}</p>
      {actions !== undefined && <div className="ed-bar__actions">{actions}</div>}
    </div>
  )
}

function run(task: () => Promise<void>) {
  return () =>
    void task().catch((error: unknown) => {
      toastError(isTooLarge(error) ? t`It is too large to be opened in the browser.` : error)
    })
}

function DraftBar({ savedAtMs }: { savedAtMs: number }) {
  const age = ageInSentence(savedAtMs)
  return (
    <Bar
      tone="info"
      icon={<History className="i" aria-hidden />}
      actions={
        <>
          <Button size="sm" onClick={run(discardDraft)}>
            <Trans>Discard it</Trans>
          </Button>
          <Button size="sm" tone="line" onClick={compareWithDraft}>
            <Trans>Compare</Trans>
          </Button>
          <Button size="sm" tone="fill" onClick={restoreDraft}>
            <Trans>Restore</Trans>
          </Button>
        </>
      }
    >
      <Trans>You left unsaved edits in this file ({age}).</Trans>
    </Bar>
  )
}

function ChangedBar({ onSave }: NoticesProps) {
  return (
    <Bar
      tone="warn"
      icon={<TriangleAlert className="i" aria-hidden />}
      actions={
        <>
          <Button size="sm" onClick={run(reloadFromDisk)}>
            <Trans>Reload</Trans>
          </Button>
          <Button size="sm" tone="danger-text" onClick={() => onSave(true)}>
            <Trans>Overwrite</Trans>
          </Button>
          <Button size="sm" tone="line" icon={FileDiff} onClick={run(compareWithDisk)}>
            <Trans>Compare</Trans>
          </Button>
        </>
      }
    >
      <Trans>
        This file was changed by someone else since you opened it. Nothing has been saved yet.
      </Trans>
    </Bar>
  )
}

function GoneBar({ onSave }: NoticesProps) {
  const { t } = useLingui()
  const mayCreate = permissions().create
  return (
    <Bar
      tone="warn"
      icon={<TriangleAlert className="i" aria-hidden />}
      actions={
        <Button
          size="sm"
          tone="line"
          disabled={mayCreate ? undefined : t`You don’t have permission to create files`}
          onClick={() => onSave(true)}
        >
          <Trans>Create it again</Trans>
        </Button>
      }
    >
      <Trans>This file was moved or deleted since you opened it. Your text is still here.</Trans>
    </Bar>
  )
}

function ComparingBar({
  with: other,
  onSave,
}: NoticesProps & { with: 'saved' | 'disk' | 'draft' }) {
  const texts = {
    saved: <Trans>Your edits, compared with the saved version.</Trans>,
    disk: (
      <Trans>
        Your text, compared with the version on disk. Red lines are only on disk, green ones only
        here.
      </Trans>
    ),
    draft: (
      <Trans>The saved file, compared with your draft. Red lines are only in the draft.</Trans>
    ),
  }
  return (
    <Bar
      tone="info"
      icon={<GitCompareArrows className="i" aria-hidden />}
      actions={
        <>
          <Button size="sm" onClick={stopComparing}>
            <Trans>Stop comparing</Trans>
          </Button>
          {other === 'disk' && (
            <>
              <Button size="sm" tone="line" onClick={run(reloadFromDisk)}>
                <Trans>Take the version on disk</Trans>
              </Button>
              <Button size="sm" tone="fill" onClick={() => onSave(false)}>
                <Trans>Save this text</Trans>
              </Button>
            </>
          )}
          {other === 'draft' && (
            <Button size="sm" tone="fill" onClick={restoreDraft}>
              <Trans>Restore the draft</Trans>
            </Button>
          )}
        </>
      }
    >
      {texts[other]}
    </Bar>
  )
}

function UnencodableBar({ problem, onSave }: NoticesProps & { problem: Unencodable }) {
  const { encoding } = useSnapshot(editor)
  const { character, count } = problem
  const name = encodingLabel(encoding)
  const others = count - 1
  const more = formatNumber(others)
  function show() {
    const view = currentView()
    if (view === null) return
    const at = view.state.doc.toString().indexOf(character)
    const line = view.state.doc.lineAt(Math.max(0, at))
    goTo(view, line.number, at - line.from + 1)
  }
  return (
    <Bar
      tone="warn"
      icon={<TriangleAlert className="i" aria-hidden />}
      actions={
        <>
          <Button size="sm" onClick={show}>
            <Trans>Show</Trans>
          </Button>
          <Button
            size="sm"
            tone="fill"
            onClick={() => {
              saveAs(UTF8)
              onSave(false)
            }}
          >
            <Trans>Save as UTF-8</Trans>
          </Button>
        </>
      }
    >
      {others === 0 ? (
        <Trans>
          {name} has no character “{character}”. Nothing has been saved yet.
        </Trans>
      ) : (
        <Trans>
          {name} has no character “{character}” (and {more} more like it). Nothing has been saved
          yet.
        </Trans>
      )}
    </Bar>
  )
}
