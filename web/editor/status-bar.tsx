// The line below the text: where the cursor is, how the file is written, how safe the edits are.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { History } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { formatDistanceInText, formatMoment, formatNumber } from '../lib/format.ts'
import { encodingLabel } from '../text/encodings.ts'
import { type LineEnd, lineEndLabel } from '../text/line-ends.ts'
import { MenuButton } from '../ui/menu.tsx'
import { cursor } from './code-pane.tsx'
import { editor } from './editor-state.ts'
import { setLineEnd } from './open-file.ts'

const ENDS: readonly LineEnd[] = ['\n', '\r\n', '\r']

interface StatusBarProps {
  languageName: string | null
  onGoToLine(): void
  onLanguage(): void
  onEncoding(): void
}

export function StatusBar({ languageName, onGoToLine, onLanguage, onEncoding }: StatusBarProps) {
  const { t } = useLingui()
  const { encoding, lineEnd, mixedEnds, readOnly } = useSnapshot(editor)
  const ends = mixedEnds ? t`${lineEndLabel(lineEnd)}, mixed` : lineEndLabel(lineEnd)
  return (
    <footer className="ed-stat row rigid nowrap fs-sm mid line-top sunken">
      <Position onClick={onGoToLine} />
      <button
        type="button"
        className="ed-stat__item"
        data-tip={t({ message: 'Language', context: 'code' })}
        onClick={onLanguage}
      >
        {languageName ?? <Trans>Plain text</Trans>}
      </button>
      <button type="button" className="ed-stat__item" data-tip={t`Encoding`} onClick={onEncoding}>
        {encodingLabel(encoding)}
      </button>
      {readOnly === null ? (
        <MenuButton
          label={t`Line endings`}
          items={() =>
            ENDS.map((end) => ({
              id: lineEndLabel(end),
              label: {
                '\n': t`LF (Unix, macOS)`,
                '\r\n': t`CRLF (Windows)`,
                '\r': t`CR (old Mac OS)`,
              }[end],
              checked: !mixedEnds && end === lineEnd,
              onSelect: () => setLineEnd(end),
            }))
          }
        >
          {(trigger) => (
            <button type="button" className="ed-stat__item" data-tip={t`Line endings`} {...trigger}>
              {ends}
            </button>
          )}
        </MenuButton>
      ) : (
        <span className="ed-stat__item" data-tip={t`Line endings`}>
          {ends}
        </span>
      )}
      <span className="grow" />
      <Safety />
    </footer>
  )
}

function Position({ onClick }: { onClick(): void }) {
  const { t } = useLingui()
  const { line, column, selected, cursors } = useSnapshot(cursor)
  const cursorText = formatNumber(cursors)
  const lineText = formatNumber(line)
  const columnText = formatNumber(column)
  return (
    <button type="button" className="ed-stat__item num" data-tip={t`Go to line`} onClick={onClick}>
      <Trans>
        Ln {lineText}, Col {columnText}
      </Trans>
      {cursors > 1 && (
        <span className="ed-stat__extra">
          <Trans>Cursors: {cursorText}</Trans>
        </span>
      )}
      {cursors === 1 && selected > 0 && (
        <span className="ed-stat__extra">
          (<Plural value={selected} one="# selected" other="# selected" />)
        </span>
      )}
    </button>
  )
}

/** Ticks in seconds while a draft is young: "4 s ago" is what people look for after typing. */
function Safety() {
  const { t } = useLingui()
  const { draftAtMs, savedAtMs } = useSnapshot(editor)
  const nowMs = useNow(draftAtMs)
  const draftAge = draftAtMs === null ? 0 : Math.max(0, Math.round((nowMs - draftAtMs) / 1000))
  return (
    <>
      {draftAtMs !== null && (
        <span
          className="ed-stat__item not-phone"
          data-tip={t`Unsaved changes are stored in this browser`}
        >
          <History className="i i-xs" aria-hidden />
          {draftAge > 0 && draftAge < 60 ? (
            <Trans>Draft saved {draftAge} s ago</Trans>
          ) : (
            <Trans>Draft saved {formatDistanceInText(draftAtMs, nowMs)}</Trans>
          )}
        </span>
      )}
      {savedAtMs !== null && (
        <span className="ed-stat__item not-phone" data-tip={formatMoment(savedAtMs)}>
          <Trans>Saved version: {formatDistanceInText(savedAtMs, nowMs)}</Trans>
        </span>
      )}
    </>
  )
}

function useNow(since: number | null): number {
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    setNowMs(Date.now())
    const timer = setInterval(() => setNowMs(Date.now()), since === null ? 30_000 : 1000)
    return () => clearInterval(timer)
  }, [since])
  return nowMs
}
