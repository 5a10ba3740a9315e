// On or off, and one of a few. Native inputs under their looks, so that keyboards, readers and
// forms treat them as what they are.

import type { LucideIcon } from 'lucide-react'
import { type ComponentPropsWithRef, type ReactNode, useId } from 'react'
import './toggle.css'

type NativeProps = Omit<
  ComponentPropsWithRef<'input'>,
  'onChange' | 'checked' | 'type' | 'children'
>

interface SwitchProps extends NativeProps {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

/** A setting that is on or off: words at the start, the switch at the end of the line. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
  disabled,
  className,
  ...rest
}: SwitchProps) {
  const id = useId()
  const classes = ['opt row']
  if (disabled) classes.push('opt--off')
  if (className) classes.push(className)
  return (
    <div className={classes.join(' ')}>
      <div className="opt__words grow">
        <label htmlFor={id}>{label}</label>
        {hint && (
          <span className="hint" id={`${id}-hint`}>
            {hint}
          </span>
        )}
      </div>
      <input
        {...rest}
        id={id}
        type="checkbox"
        role="switch"
        className="switch"
        checked={checked}
        aria-checked={checked}
        disabled={disabled}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  )
}

interface CheckboxProps extends NativeProps {
  /** Without a visible label give `aria-label`. */
  label?: ReactNode
  checked: boolean | 'mixed'
  onChange: (checked: boolean) => void
}

export function Checkbox({ label, checked, onChange, className, ...rest }: CheckboxProps) {
  const mixed = checked === 'mixed'
  const id = useId()
  const box = (
    <input
      id={id}
      {...rest}
      type="checkbox"
      className={className ? `check ${className}` : 'check'}
      checked={checked === true}
      ref={(element) => {
        if (element) element.indeterminate = mixed
      }}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
  if (label === undefined) return box
  return (
    <span className="tick">
      {box}
      <label htmlFor={rest.id ?? id}>{label}</label>
    </span>
  )
}

export interface SegmentedOption<T extends string> {
  value: T
  label: string
  icon?: LucideIcon
  /** The icon alone is shown, the label becomes a tooltip. */
  iconOnly?: boolean
  shortcut?: string | undefined
}

interface SegmentedProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  options: readonly SegmentedOption<T>[]
  disabled?: boolean
}

/** One of two to five choices, all in sight. */
export function Segmented<T extends string>(props: SegmentedProps<T>) {
  const name = useId()
  return (
    <div className="seg" role="radiogroup" aria-label={props.label}>
      {props.options.map(({ value, label, icon: Icon, iconOnly, shortcut }) => (
        <label
          key={value}
          className="seg__item"
          data-tip={iconOnly ? label : undefined}
          data-tip-keys={iconOnly ? shortcut : undefined}
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={props.value === value}
            disabled={props.disabled}
            aria-label={iconOnly ? label : undefined}
            onChange={() => props.onChange(value)}
          />
          {Icon && <Icon className="i i-sm" aria-hidden />}
          {!iconOnly && <span>{label}</span>}
        </label>
      ))}
    </div>
  )
}
