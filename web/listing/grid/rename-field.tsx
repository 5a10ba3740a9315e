// The name of an entry while it is typed, in its row: Enter, Tab and a click elsewhere rename, Escape
// leaves the name as it was. What is wrong with it is said below, or above where there is no room.

import { useLingui } from '@lingui/react/macro'
import { CircleAlert } from 'lucide-react'
import {
  type KeyboardEvent,
  type SyntheticEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { focusFallback } from '../../lib/page/focus.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { parentOf, splitName } from '../../lib/paths.ts'
import { runAction } from '../../operations/commands/registry.ts'
import { describeClash, describeNameProblem, namesIn } from '../../operations/names/name-check.ts'
import { renameAsTyped } from '../../operations/names/rename-as-typed.ts'
import { toastError } from '../../operations/toasts.ts'
import { endRenaming, fieldCame, renaming } from '../../state/renaming.ts'
import { selection } from '../../state/selection.ts'
import styles from './rename-field.css?url'

await loadStylesheet(styles)

const keepToItself = (event: SyntheticEvent) => event.stopPropagation()

export function RenameField({ entry }: { entry: Pick<FileEntry, 'path' | 'name' | 'isDir'> }) {
  const { t } = useLingui()
  const { path } = entry
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(renaming.text)
  const [refusal, setRefusal] = useState(renaming.refusal)
  const [taken] = useState(() => namesIn(parentOf(path)))
  const noteId = useId()
  const isPressed = usePressed()
  const name = text.trim()
  const isUnchanged = name === entry.name
  const clash = !isUnchanged && taken.has(name) ? describeClash(name) : null
  const wrong = describeNameProblem(name) ?? clash
  const problem = refusal ?? wrong

  // The stem is selected, so that typing keeps the extension.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, not with each listing
  useLayoutEffect(() => {
    const { stem } = entry.isDir ? { stem: entry.name } : splitName(entry.name)
    input.current?.focus({ preventScroll: true })
    fieldCame()
    if (refusal === null) input.current?.setSelectionRange(0, stem.length)
  }, [])

  useEffect(() => () => endRenaming(path), [path])

  function end() {
    endRenaming(path)
    if (document.activeElement === input.current) {
      focusFallback()?.focus({ preventScroll: true })
    }
  }

  function rename() {
    end()
    if (name !== '' && !isUnchanged) void renameAsTyped(path, name)
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    // While characters are composed, both belong to the input method.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') end()
    else if (event.key !== 'Enter') return
    // What the server refused may go well the next time.
    else if (wrong === null) rename()
    event.preventDefault()
  }

  function onBlur() {
    // The window lost it, not the field; or this is the end of the field itself.
    if (document.activeElement === input.current || renaming.path !== path) return
    if (wrong !== null) {
      end()
      toastError(wrong)
    } else if (!isPressed()) rename()
    // Rows that move under a press would take it for a click on another one.
    else addEventListener('pointerup', () => setTimeout(rename), { once: true })
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps presses in the field from the row
    <span
      className="rename grow"
      onPointerDown={keepToItself}
      onClick={keepToItself}
      onContextMenu={keepToItself}
      onKeyDown={onKeyDown}
    >
      <input
        ref={input}
        className="input"
        dir="auto"
        aria-label={t`New name`}
        aria-invalid={problem !== null || undefined}
        aria-describedby={problem === null ? undefined : noteId}
        value={text}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="done"
        onChange={(event) => {
          setText(event.currentTarget.value)
          setRefusal(null)
        }}
        onBlur={onBlur}
      />
      {problem !== null && <Problem id={noteId}>{problem}</Problem>}
    </span>
  )
}

function Problem({ id, children }: { id: string; children: string }) {
  const ref = useRef<HTMLSpanElement>(null)
  const [isAbove, setAbove] = useState(false)
  // Below the last row in sight nobody would see it.
  useLayoutEffect(() => {
    const list = ref.current?.closest('#listing')
    if (!ref.current || !list) return
    setAbove(ref.current.getBoundingClientRect().bottom > list.getBoundingClientRect().bottom)
  }, [])
  const place = isAbove ? 'rename__problem rename__problem--above err' : 'rename__problem err'
  return (
    <span ref={ref} className={place} id={id} role="alert">
      <CircleAlert className="i i-xs" aria-hidden />
      <span>{children}</span>
    </span>
  )
}

/** Whether a button of the mouse is down. */
function usePressed(): () => boolean {
  const pressed = useRef(false)
  useEffect(() => {
    const ended = new AbortController()
    const options = { signal: ended.signal, capture: true }
    const note = ({ type }: Event) => {
      pressed.current = type === 'pointerdown'
    }
    for (const type of ['pointerdown', 'pointerup', 'pointercancel']) {
      addEventListener(type, note, options)
    }
    return () => ended.abort()
  }, [])
  return () => pressed.current
}

/** Systems take two clicks within half a second for a double click. */
const DOUBLE_CLICK_ENDS_MS = 600

/** As desktops do on a second, slower click on a name, unless something else is done meanwhile. */
export function renameSoon(path: string): void {
  const left = new AbortController()
  const timer = setTimeout(() => {
    left.abort()
    if (selection.paths.size === 1 && selection.paths.has(path)) runAction('rename')
  }, DOUBLE_CLICK_ENDS_MS)
  const stop = () => {
    clearTimeout(timer)
    left.abort()
  }
  for (const type of ['pointerdown', 'keydown', 'dragstart', 'blur'])
    addEventListener(type, stop, { signal: left.signal, capture: true })
}
