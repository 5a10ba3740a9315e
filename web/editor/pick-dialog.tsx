// Choosing one of many by typing a part of its name: languages, encodings.

import { useLingui } from '@lingui/react/macro'
import { Check, Search } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'
import { foldForTyping } from '../lib/type-ahead.ts'
import { Combobox, listStep } from '../ui/combobox.tsx'
import { Dialog } from '../ui/dialog.tsx'

export interface PickOption {
  value: string
  label: string
  words?: string
  group?: string
}

interface PickDialogProps {
  title: string
  placeholder: string
  options: readonly PickOption[]
  value: string | null
  /** Above the list, such as what the choice will do. */
  children?: ReactNode
  onPick(value: string): void
  onClose(): void
}

export function PickDialog(props: PickDialogProps) {
  const { title, placeholder, options, value, children, onPick, onClose } = props
  const { t } = useLingui()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const needle = foldForTyping(typed.trim())
  const shown = options.filter(
    (option) =>
      needle === '' || foldForTyping(`${option.label} ${option.words ?? ''}`).includes(needle),
  )
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      options.findIndex((option) => option.value === value),
    ),
  )
  const at = Math.min(active, shown.length - 1)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the list also scrolls when it is filtered
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at, needle])

  function onKeyDown(event: KeyboardEvent) {
    const step = listStep(event)
    if (step !== undefined) {
      event.preventDefault()
      setActive(Math.min(Math.max(0, at + step), shown.length - 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const option = shown[at]
      if (option) onPick(option.value)
    }
  }

  return (
    <Dialog title={title} size="sm" top fullOnPhone onClose={onClose} className="ed-pick">
      {children}
      <span className="input">
        <Search className="i i-sm" aria-hidden />
        <Combobox
          label={placeholder}
          value={typed}
          onChange={(value) => {
            setTyped(value)
            setActive(0)
          }}
          list={`${id}-list`}
          active={at}
          onKeyDown={onKeyDown}
        />
      </span>
      <div className="ed-pick__list" role="listbox" id={`${id}-list`} aria-label={title} ref={list}>
        {shown.map((option, index) => (
          <PickRow
            key={option.value}
            id={`${id}-list-${index}`}
            option={option}
            heading={option.group !== shown[index - 1]?.group ? option.group : undefined}
            active={index === at}
            chosen={option.value === value}
            onPick={() => onPick(option.value)}
            onHover={() => setActive(index)}
          />
        ))}
        {shown.length === 0 && (
          <div className="ed-pick__none mid" role="presentation">
            {t`Nothing found`}
          </div>
        )}
      </div>
    </Dialog>
  )
}

interface PickRowProps {
  id: string
  option: PickOption
  heading: string | undefined
  active: boolean
  chosen: boolean
  onPick(): void
  onHover(): void
}

function PickRow({ id, option, heading, active, chosen, onPick, onHover }: PickRowProps) {
  return (
    <>
      {heading !== undefined && (
        <div className="ed-pick__group dim" role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it is the active descendant of the field */}
      <div
        id={id}
        role="option"
        aria-selected={active}
        className="ed-pick__row row rounded"
        onClick={onPick}
        onPointerMove={active ? undefined : onHover}
      >
        <span className="grow trunc">{option.label}</span>
        {chosen && <Check className="i i-sm" aria-hidden />}
      </div>
    </>
  )
}
