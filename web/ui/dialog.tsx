// Dialogs on the native element: the browser makes the rest of the page inert, keeps the focus
// inside and puts it on top of everything. On phones the same dialog is a sheet at the bottom.

import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { TOUCHED } from '../lib/page/media.ts'
import { useModal } from '../lib/page/use-modal.ts'
import { usePressBeside } from '../lib/page/use-press-beside.ts'
import { Button, IconButton } from './button.tsx'
import './dialog.css'

interface DialogProps {
  title: ReactNode
  subtitle?: ReactNode
  /** 'wide' 46 rem, 'form' 30 rem (default), 'md' 27 rem, 'sm' 24 rem. */
  size?: 'sm' | 'md' | 'form' | 'wide'
  /** Covers the whole screen on phones. */
  fullOnPhone?: boolean
  /** Near the top instead of centred, for things that are typed into. */
  top?: boolean
  /** Something may be lost: role alertdialog, no close cross, not closed by the backdrop. */
  alert?: boolean
  /** Text was typed that Escape or a click beside the dialog must not throw away. */
  guarded?: boolean
  /** What it asked for is under way and happens all the same: it stays until that is over. */
  busy?: boolean
  /** Escape, the cross, the backdrop. The parent then stops rendering the dialog. */
  onClose: () => void
  /** Buttons at the end, after the one that closes. */
  answers?: ReactNode
  closeLabel?: string | undefined
  lead?: ReactNode
  /** Replaces the three. */
  footer?: ReactNode
  /** Called on Enter in a field and by `type="submit"` buttons of the footer. */
  onSubmit?: (() => void) | undefined
  className?: string
  children?: ReactNode
}

const FOCUSABLE =
  'input:not([disabled]):not([type=hidden]), textarea:not([disabled]), select:not([disabled])'

/**
 * Focus goes to the element with `data-autofocus`, else to the first field, else, when something
 * may be lost, to the first button of the footer (Cancel), else to its last one.
 */
export function Dialog(given: DialogProps) {
  const { t } = useLingui()
  const props = given.busy ? { ...given, guarded: true, onClose: () => {} } : given
  const id = useId()
  const ref = useRef<HTMLDialogElement>(null)
  const [refusals, setRefusals] = useState(0)
  const { alert = false, guarded = false, onClose } = props

  useModal(ref, {
    guarded,
    focus: (dialog) => focusFirst(dialog, alert),
    dismiss,
  })

  function refuse() {
    if (ref.current) nudge(ref.current)
    setRefusals((count) => count + 1)
  }

  function dismiss() {
    if (guarded) refuse()
    else onClose()
  }

  const beside = usePressBeside(() => (alert ? refuse() : dismiss()))

  useEffect(() => {
    if (!guarded) setRefusals(0)
  }, [guarded])

  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Escape') ref.current?.classList.remove(NUDGED)
    // Shortcuts of the page behind must not act while a dialog is open.
    event.stopPropagation()
    // While characters are composed, Escape belongs to the input method.
    if (event.key !== 'Escape' || event.defaultPrevented || event.nativeEvent.isComposing) return
    event.preventDefault()
    dismiss()
  }

  const inner = (
    <>
      <div className="dlg__body card-content" id={`${id}-body`}>
        {props.children}
      </div>
      <Foot {...props} />
    </>
  )

  return (
    <dialog
      ref={ref}
      className={classesOf(props)}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={`${id}-title`}
      aria-describedby={alert ? `${id}-body` : undefined}
      onKeyDown={onKeyDown}
      {...beside}
      onPointerDown={(event) => {
        ref.current?.classList.remove(NUDGED)
        beside.onPointerDown(event)
      }}
    >
      <Head id={`${id}-title`} {...props} />
      {props.onSubmit ? (
        <form
          className="dlg__form"
          onSubmit={(event) => {
            event.preventDefault()
            props.onSubmit?.()
          }}
          noValidate
        >
          {inner}
        </form>
      ) : (
        inner
      )}
      {/* Inside: what lies behind an open dialog is not read out. A repeated text has to differ. */}
      {guarded && (
        <p className="dlg__kept" role="status">
          {refusals > 0 && !given.busy && t`Unsaved changes` + '\u00a0'.repeat(refusals % 2)}
        </p>
      )}
    </dialog>
  )
}

function Head({ id, title, subtitle, alert, onClose }: DialogProps & { id: string }) {
  const { t } = useLingui()
  return (
    <header className="dlg__head card-title">
      <div className="grow">
        <h2 className="dlg__title" id={id}>
          {title}
        </h2>
        {subtitle && <p className="dlg__sub">{subtitle}</p>}
      </div>
      {!alert && <IconButton size="sm" icon={X} label={t`Close`} onClick={onClose} />}
    </header>
  )
}

function Foot({ answers, busy, closeLabel, lead, footer, onClose }: DialogProps) {
  const { t } = useLingui()
  if (answers === undefined && footer === undefined) return null
  return (
    <footer className="dlg__foot row card-action">
      {footer ?? (
        <>
          {lead}
          <Button tone="line" disabled={busy} onClick={onClose}>
            {closeLabel ?? t`Cancel`}
          </Button>
          {answers}
        </>
      )}
    </footer>
  )
}

function classesOf({ size = 'form', top, fullOnPhone, alert, className }: DialogProps): string {
  // The later names are File Browser's, for custom.css; so are those of the parts.
  const classes = ['dlg', 'card', 'floating']
  if (size !== 'form') classes.push(`dlg--${size}`)
  if (top) classes.push('dlg--top')
  if (fullOnPhone) classes.push('dlg--full')
  if (alert) classes.push('dlg--alert')
  if (className) classes.push(className)
  return classes.join(' ')
}

function focusFirst(dialog: HTMLDialogElement, alert: boolean): void {
  // The keyboard of a phone would cover the list that can be searched.
  const quiet = matchMedia(TOUCHED).matches ? ':not([type=search])' : ''
  const target =
    dialog.querySelector<HTMLElement>('[data-autofocus]') ??
    dialog.querySelector<HTMLElement>(`.dlg__body :is(${FOCUSABLE})${quiet}`) ??
    dialog.querySelector<HTMLElement>(`.dlg__foot button:${alert ? 'first' : 'last'}-of-type`)
  target?.focus()
  if (target instanceof HTMLInputElement && target.dataset.select === undefined) target.select()
}

const NUDGED = 'dlg--nudge'

/**
 * Shakes the dialog and says why it does not close this way. Where nothing moves it gets a frame, until the
 * person goes on.
 */
function nudge(dialog: HTMLDialogElement) {
  dialog.classList.remove(NUDGED)
  void dialog.offsetWidth
  dialog.classList.add(NUDGED)
}
