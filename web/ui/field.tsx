// Fields: a label, a control, a hint, an error. The label is real, the hint and the error are
// tied to the control, so that every reader announces them.

import { useLingui } from '@lingui/react/macro'
import { ChevronDown, CircleAlert, CircleCheck, Eye, EyeOff, type LucideIcon } from 'lucide-react'
import { type ComponentPropsWithRef, type ReactNode, useId, useState } from 'react'
import { IconButton } from './button.tsx'
import './field.css'

export interface FieldText {
  label: ReactNode
  /** The label is read out but not shown. */
  hideLabel?: boolean | undefined
  hint?: ReactNode
  /** Replaces the hint, colours the edge and marks the control invalid. */
  error?: ReactNode
}

interface Ids {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** Label, hint and error around a control that takes the given ids. */
export function Field({
  label,
  hideLabel,
  hint,
  error,
  className,
  children,
}: FieldText & { className?: string | undefined; children: (ids: Ids) => ReactNode }) {
  const id = useId()
  const noteId = `${id}-note`
  const noted = Boolean(error) || Boolean(hint)
  return (
    <div className={className ? `field ${className}` : 'field'}>
      <label htmlFor={id} className={hideLabel ? 'sr' : 'label'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': noted ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error ? (
        <span className="err" id={noteId} role="alert">
          <CircleAlert className="i i-xs" aria-hidden />
          <span>{error}</span>
        </span>
      ) : hint ? (
        <span className="hint" id={noteId}>
          {hint}
        </span>
      ) : null}
    </div>
  )
}

type InputProps = Omit<ComponentPropsWithRef<'input'>, 'onChange' | 'value' | 'size'>

interface TextFieldProps extends FieldText, InputProps {
  value: string
  onChange: (value: string) => void
  icon?: LucideIcon | undefined
  end?: ReactNode
  /** Green edge and tick: the value is what it should be. */
  ok?: boolean | undefined
  /** Red edge without words: the field beside it says what is wrong with both. */
  bad?: boolean | undefined
}

/** What the field takes, and what is left for its control. */
function split<P extends FieldText & { className?: string | undefined }>(props: P) {
  const { label, hideLabel, hint, error, className, ...rest } = props
  return [{ label, hideLabel, hint, error, className }, rest] as const
}

export function TextField(props: TextFieldProps) {
  const [field, control] = split(props)
  const { error } = field
  const { value, onChange, icon: Icon, end, ok, bad, disabled, ...rest } = control
  const classes = ['input']
  if (error || bad) classes.push('input--bad')
  else if (ok) classes.push('input--ok')
  if (disabled) classes.push('input--off')
  return (
    <Field {...field}>
      {(ids) => (
        <span className={classes.join(' ')}>
          {Icon && <Icon className="i i-sm" aria-hidden />}
          <input
            dir="auto"
            {...rest}
            {...ids}
            aria-invalid={bad || ids['aria-invalid']}
            disabled={disabled}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          {ok && !error && !bad && <CircleCheck className="i i-sm input__state" aria-hidden />}
          {end}
        </span>
      )}
    </Field>
  )
}

/** A path, a pattern or a command: left to right, in letters of one width, without spelling marks. */
export function CodeField(props: TextFieldProps) {
  return <TextField className="mono-field" dir="ltr" spellCheck={false} {...props} />
}

export function PasswordField(props: Omit<TextFieldProps, 'type' | 'end'>) {
  const { t } = useLingui()
  const [shown, setShown] = useState(false)
  return (
    <TextField
      autoCapitalize="none"
      autoCorrect="off"
      spellCheck={false}
      {...props}
      dir="ltr"
      type={shown ? 'text' : 'password'}
      end={
        <IconButton
          size="sm"
          icon={shown ? EyeOff : Eye}
          label={shown ? t`Hide password` : t`Show password`}
          onClick={() => setShown(!shown)}
          disabled={props.disabled}
        />
      }
    />
  )
}

interface NumberFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type'> {
  /** Null while the field is empty or holds no number. */
  value: number | null
  onChange: (value: number | null) => void
}

/** A whole number; limits are those of the `min` and `max` attributes. */
export function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  return (
    <TextField
      step={1}
      inputMode="numeric"
      {...rest}
      dir="ltr"
      type="number"
      value={value === null ? '' : String(value)}
      onChange={(text) => {
        const parsed = Number(text)
        onChange(text.trim() === '' || !Number.isFinite(parsed) ? null : Math.trunc(parsed))
      }}
    />
  )
}

export interface SelectOption {
  value: string
  label: string
  disabled?: boolean
  /** Language of the label, when it differs from the page's. */
  lang?: string
}

interface SelectProps
  extends FieldText,
    Omit<ComponentPropsWithRef<'select'>, 'onChange' | 'value'> {
  value: string
  onChange: (value: string) => void
  options: readonly SelectOption[]
}

export function Select(props: SelectProps) {
  const [field, { value, onChange, options, disabled, ...rest }] = split(props)
  const classes = ['input']
  if (field.error) classes.push('input--bad')
  if (disabled) classes.push('input--off')
  return (
    <Field {...field}>
      {(ids) => (
        <span className="select">
          <select
            {...rest}
            {...ids}
            className={classes.join(' ')}
            disabled={disabled}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          >
            {options.map((option) => (
              <option
                key={option.value}
                value={option.value}
                disabled={option.disabled}
                lang={option.lang}
              >
                {option.label}
              </option>
            ))}
          </select>
          <ChevronDown className="i i-sm" aria-hidden />
        </span>
      )}
    </Field>
  )
}

interface TextAreaProps
  extends FieldText,
    Omit<ComponentPropsWithRef<'textarea'>, 'onChange' | 'value'> {
  value: string
  onChange: (value: string) => void
}

export function TextArea(props: TextAreaProps) {
  const [field, { value, onChange, ...rest }] = split(props)
  return (
    <Field {...field}>
      {(ids) => (
        <textarea
          {...rest}
          {...ids}
          className={field.error ? 'input input--bad' : 'input'}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
