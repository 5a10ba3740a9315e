// A field that finds one of many by a part of its name and gives it away, such as the next member of a group.

import { useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { foldForTyping } from '../../lib/type-ahead.ts'
import { Combobox, listStep } from '../../ui/combobox.tsx'

const MOST_SHOWN = 50

export interface PickOption {
  value: string
  label: string
  icon?: ReactNode
}

interface PickerProps {
  label: string
  options: readonly PickOption[]
  onPick: (value: string) => void
}

export function Picker({ label, options, onPick }: PickerProps) {
  const { t } = useLingui()
  const id = useId()
  const [typed, setTyped] = useState('')
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(0)
  const needle = foldForTyping(typed.trim())
  const shown = options
    .filter((option) => foldForTyping(option.label).includes(needle))
    .slice(0, MOST_SHOWN)
  const at = Math.min(active, shown.length - 1)

  function pick(option: PickOption | undefined) {
    if (option === undefined) return
    onPick(option.value)
    setTyped('')
    setActive(0)
    setOpen(false)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = listStep(event)
    if (event.nativeEvent.isComposing) return
    if (step !== undefined) {
      setActive(open ? Math.max(0, Math.min(at + step, shown.length - 1)) : 0)
      setOpen(true)
    } else if (event.key === 'Enter') {
      if (open) pick(shown[at])
    } else if (event.key === 'Escape' && open) setOpen(false)
    else return
    event.preventDefault()
  }

  return (
    <div className="picker relative">
      <span className="input">
        <Search className="i i-sm" aria-hidden />
        <Combobox
          label={label}
          value={typed}
          onChange={(text) => {
            setTyped(text)
            setActive(0)
            setOpen(true)
          }}
          list={id}
          active={open ? at : -1}
          expanded={open}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
      </span>
      {open && (
        <div className="picker__list rounded" role="listbox" id={id} aria-label={label}>
          {shown.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
            // biome-ignore lint/a11y/useFocusableInteractive: it is the active descendant of the field
            <div
              key={option.value}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className="picker__row row rounded"
              ref={index === at ? (row) => row?.scrollIntoView({ block: 'nearest' }) : undefined}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(option)}
            >
              {option.icon}
              <bdi className="trunc">{option.label}</bdi>
            </div>
          ))}
          {shown.length === 0 && (
            <div className="picker__row row dim" role="presentation">{t`Nothing found`}</div>
          )}
        </div>
      )}
    </div>
  )
}
