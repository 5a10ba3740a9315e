// What every modal dialog needs: it opens over the page, takes the focus and gives it back.

import { type RefObject, useEffectEvent, useLayoutEffect } from 'react'
import { giveFocusBack } from './focus.ts'

interface Modal {
  focus(dialog: HTMLDialogElement): void
  /** Somebody wants to close it: Escape, or the back gesture of a phone. */
  dismiss(): void
  /** It stays open where the browser closes it without asking. */
  guarded?: boolean
}

export function useModal(ref: RefObject<HTMLDialogElement | null>, modal: Modal): void {
  const focus = useEffectEvent((dialog: HTMLDialogElement) => modal.focus(dialog))
  const onCancel = useEffectEvent((event: Event) => {
    event.preventDefault()
    modal.dismiss()
  })
  const onClosed = useEffectEvent((dialog: HTMLDialogElement) => {
    if (dialog.open) return
    if (modal.guarded) dialog.showModal()
    else modal.dismiss()
  })

  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    const opener = document.activeElement
    if (!dialog.open) dialog.showModal()
    focus(dialog)
    return () => {
      dialog.close()
      if (opener !== document.body) giveFocusBack(opener)
    }
  }, [ref])

  // The browser asks for closing in other ways than Escape, too (Android's back gesture), and closes
  // without asking when that happens twice. It may do so as soon as the dialog is shown.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    const abort = new AbortController()
    const { signal } = abort
    dialog.addEventListener('cancel', (event) => onCancel(event), { signal })
    dialog.addEventListener('close', () => onClosed(dialog), { signal })
    return () => abort.abort()
  }, [ref])
}
