// A field that keeps the focus while the arrow keys move through the list below it.

import type { InputHTMLAttributes, KeyboardEvent, Ref } from 'react'

interface ComboboxProps
  extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'list'> {
  ref?: Ref<HTMLInputElement>
  label: string
  value: string
  onChange(value: string): void
  /** Id of the list, whose options are `id-0`, `id-1` and so on. */
  list: string
  /** Index of the marked option, negative for none. */
  active: number
  expanded?: boolean
}

export function Combobox({ label, list, active, expanded, onChange, ...rest }: ComboboxProps) {
  return (
    <input
      type="text"
      role="combobox"
      aria-label={label}
      placeholder={label}
      aria-expanded={expanded ?? true}
      aria-controls={list}
      aria-activedescendant={active >= 0 ? `${list}-${active}` : undefined}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  )
}

const PAGE_ROWS = 8

/** How far a key moves the mark of the list; undefined for other keys. */
export function listStep({ key }: KeyboardEvent): number | undefined {
  return { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS }[key]
}
