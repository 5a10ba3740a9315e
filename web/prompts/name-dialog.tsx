// A dialog that asks for one name: says what is wrong with it while it is typed, and what the server said. Escape
// cancels, as it does wherever names are typed: one name is soon typed again.

import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { describeRefusal } from '../operations/names/name-check.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'

interface NameDialogProps {
  title: ReactNode
  subtitle: ReactNode
  label: string
  hint?: string
  text: string
  onChange(text: string): void
  error: string | null
  ready: boolean
  /** What the server refuses is said of this name. */
  name: string
  submitLabel: ReactNode
  /** Does it and gives the path made. @throws ApiError */
  submit(): Promise<string>
  answer(path: string | null): void
  /** So much of the text is selected at first; all of it when left out. */
  selectChars?: number
  children?: ReactNode
}

export function NameDialog(props: NameDialogProps) {
  const { text, error, ready, name, answer, selectChars } = props
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const shownError = refusal ?? error

  useLayoutEffect(() => {
    if (selectChars !== undefined) input.current?.setSelectionRange(0, selectChars)
  }, [selectChars])

  async function submit() {
    // What the server refused may go well the next time: the connection is back, a name is free again.
    if (busy || name === '' || error !== null) return
    if (!ready) {
      answer(null)
      return
    }
    setBusy(true)
    setRefusal(null)
    try {
      answer(await props.submit())
    } catch (problem) {
      setBusy(false)
      setRefusal(describeRefusal(problem, name))
      input.current?.focus()
    }
  }

  return (
    <Dialog
      title={props.title}
      subtitle={props.subtitle}
      onClose={() => answer(null)}
      onSubmit={() => void submit()}
      answers={
        <Button tone="fill" type="submit" busy={busy} disabled={!ready || error !== null}>
          {props.submitLabel}
        </Button>
      }
    >
      <TextField
        ref={input}
        label={props.label}
        // Room for what may be wrong with it: the dialog does not move while one types.
        hint={props.hint ?? '\u00a0'}
        value={text}
        onChange={(value) => {
          props.onChange(value)
          setRefusal(null)
        }}
        error={shownError}
        data-autofocus
        data-select={selectChars === undefined ? undefined : ''}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      {props.children}
    </Dialog>
  )
}
