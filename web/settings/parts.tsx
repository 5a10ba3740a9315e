// What all settings pages are made of: sections, lines with a control at the end, the save bar.

import { Trans, useLingui } from '@lingui/react/macro'
import { type ComponentType, createContext, type ReactNode, useContext } from 'react'
import { createPortal } from 'react-dom'
import { ErrorPanel } from '../layout/error-panel.tsx'
import { Button } from '../ui/button.tsx'
import { DateText } from '../ui/date-text.tsx'
import { CodeField, type FieldText, NumberField, Select, TextField } from '../ui/field.tsx'
import { Skeleton } from '../ui/progress.tsx'
import type { Form } from './use-form.ts'
import type { Loaded } from './use-load.ts'

/** The place at the lower edge of the sheet where the save bar appears. */
export const BarPlace = createContext<HTMLElement | null>(null)

export function Section({
  title,
  hint,
  children,
}: {
  title: ReactNode
  hint?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="sec line-bottom">
      <h2 className="sec__title">{title}</h2>
      {hint && <p className="sec__hint fs-md dim">{hint}</p>}
      {children}
    </section>
  )
}

/** Words at the start, a control at the end; the control brings its own (hidden) label. */
export function Line({
  label,
  hint,
  children,
  narrow,
}: {
  label: ReactNode
  hint?: ReactNode
  children: ReactNode
  /** For numbers and other short values. */
  narrow?: boolean
}) {
  return (
    <div className="opt row line">
      <div className="opt__words grow" aria-hidden>
        {label}
        {hint && <span className="hint">{hint}</span>}
      </div>
      <div className={narrow ? 'line__control line__control--narrow rigid' : 'line__control rigid'}>
        {children}
      </div>
    </div>
  )
}

/** A control in a line, whose words are its label and hint. */
function inLine<P extends FieldText>(Control: ComponentType<P>) {
  return ({ narrow = false, ...props }: P & { narrow?: boolean }) => (
    <Line label={props.label} hint={props.hint} narrow={narrow}>
      <Control {...(props as unknown as P)} hint={undefined} hideLabel />
    </Line>
  )
}

export const CodeLine = inLine(CodeField)
export const NumberLine = inLine(NumberField)
export const SelectLine = inLine(Select)
export const TextLine = inLine(TextField)

/** Shown while something is unsaved. `lead` replaces the words at the start. */
export function SaveBar<T extends object>({
  form,
  lead,
  always,
  saveLabel,
}: {
  form: Form<T>
  lead?: ReactNode
  /** Shown even when nothing changed, for forms that create something. */
  always?: boolean
  saveLabel?: string
}) {
  const { t } = useLingui()
  const place = useContext(BarPlace)
  if (!place || (!form.dirty && !always)) return null
  return createPortal(
    <section className="savebar row line-top" aria-label={t`Save`}>
      <span className="savebar__lead row grow fs-md mid">
        {lead ?? (
          <>
            <span className="savebar__dot rigid" />
            <Trans>Unsaved changes</Trans>
          </>
        )}
      </span>
      {form.dirty && (
        <Button tone="line" onClick={form.discard}>
          <Trans>Discard</Trans>
        </Button>
      )}
      {(form.dirty || saveLabel) && (
        <Button tone="fill" busy={form.busy} onClick={() => void form.submit()}>
          {saveLabel ?? <Trans>Save changes</Trans>}
        </Button>
      )}
    </section>,
    place,
  )
}

/** The page once its data is there; before that a skeleton, and the reason when it cannot be. */
export function WhenLoaded<T>({
  loaded,
  children,
}: {
  loaded: Loaded<T>
  children: (data: T) => ReactNode
}) {
  if (loaded.data !== null) return children(loaded.data)
  if (loaded.error) return <ErrorPanel error={loaded.error} onRetry={loaded.reload} />
  return (
    <div className="form form--wait stack" aria-busy="true">
      {['40%', '72%', '66%', '30%', '70%', '58%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}

/** When a key of one's own was last used; null for never. */
export function LastUsed({ moment }: { moment: string | null }) {
  if (moment === null) return <Trans>Never used</Trans>
  return (
    <Trans>
      Last used: <DateText moment={moment} />
    </Trans>
  )
}
