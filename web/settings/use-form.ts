// A form with one save button: what was loaded, what is typed, whether they differ, and a guard
// that keeps people from losing the difference.

import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import { type FormPart, partOf } from '../lib/form-part.ts'
import { guardLeaving } from '../lib/page/navigate.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError } from '../operations/toasts.ts'

export interface Form<T> extends FormPart<T> {
  /** As it was loaded or stored last. */
  saved: T
  dirty: boolean
  busy: boolean
  /** Counts the attempts to save; fields show what is missing after the first. */
  attempts: number
  /** Resolves true when everything was saved. */
  submit: () => Promise<boolean>
  discard: () => void
  /** Takes a record as loaded, without asking. */
  reset: (saved: T) => void
}

/**
 * `save` stores the draft and resolves with what is stored now, or with null when it was not saved
 * (invalid, dismissed). What it throws is shown as a message.
 */
export function useForm<T extends object>(
  initial: T,
  save: (draft: T) => Promise<T | null>,
): Form<T> {
  const { t } = useLingui()
  const [saved, setSaved] = useState(initial)
  const [draft, setDraft] = useState(initial)
  const [busy, setBusy] = useState(false)
  const [attempts, setAttempts] = useState(0)
  const dirty = JSON.stringify(saved) !== JSON.stringify(draft)

  async function submit(): Promise<boolean> {
    if (busy) return false
    setBusy(true)
    setAttempts(attempts + 1)
    try {
      const stored = await save(draft)
      if (stored === null) return false
      setSaved(stored)
      setDraft((now) => withTyped(stored, draft, now))
      setAttempts(0)
      return true
    } catch (error) {
      toastError(error)
      return false
    } finally {
      setBusy(false)
    }
  }

  // The save bar is at the end of a long page: what keeps it from saving may be out of sight.
  useEffect(() => {
    if (attempts > 0 && !busy) showFirstProblem()
  }, [attempts, busy])

  // The guard is asked long after this render; it must save the draft of that moment.
  const latest = useRef(submit)
  latest.current = submit

  useEffect(() => {
    if (!dirty) return
    return guardLeaving(async () => {
      const answer = await openPrompt('confirm', {
        title: t`Leave without saving?`,
        text: t`You have unsaved changes on this page.`,
        answers: [
          { id: 'discard', label: t`Discard changes`, tone: 'danger-text' },
          { id: 'save', label: t`Save changes` },
        ],
      })
      if (answer === 'save') return latest.current()
      return answer === 'discard'
    })
  }, [dirty, t])

  const set = (change: Partial<T>) => setDraft((before) => ({ ...before, ...change }))
  return {
    ...partOf(draft, set),
    saved,
    dirty,
    busy,
    attempts,
    submit,
    discard: () => {
      setDraft(saved)
      setAttempts(0)
    },
    reset: (next) => {
      setSaved(next)
      setDraft(next)
    },
  }
}

function showFirstProblem() {
  const field = document.querySelector<HTMLElement>('main [aria-invalid="true"]')
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'center' })
}

/** What is stored, but for the fields that changed between sending the draft and now. */
function withTyped<T extends object>(stored: T, sent: T, now: T): T {
  const isTyped = (name: keyof T) => JSON.stringify(sent[name]) !== JSON.stringify(now[name])
  const typed = (Object.keys(now) as (keyof T)[]).filter(isTyped).map((name) => [name, now[name]])
  return { ...stored, ...Object.fromEntries(typed) }
}
