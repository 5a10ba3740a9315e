// Tabs of a dialog or panel, moved by arrow keys. The panel is the caller's; it takes
// `role="tabpanel"` and `tabPanelProps(id, value)`.

import type { LucideIcon } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import './tabs.css'

export interface Tab<T extends string> {
  value: T
  label: string
  icon?: LucideIcon
}

export interface TabsProps<T extends string> {
  /** Prefix of the ids that tie tabs and panels together. */
  id: string
  label: string
  tabs: readonly Tab<T>[]
  value: T
  onChange: (value: T) => void
}

export function tabPanelProps(id: string, value: string) {
  return { id: `${id}-panel-${value}`, 'aria-labelledby': `${id}-tab-${value}` }
}

export function Tabs<T extends string>({ id, label, tabs, value, onChange }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null)

  function onKeyDown(event: KeyboardEvent) {
    const rtl = document.documentElement.dir === 'rtl'
    const step = { ArrowRight: rtl ? -1 : 1, ArrowLeft: rtl ? 1 : -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex((tab) => tab.value === value)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    onChange(next.value)
    list.current?.querySelector<HTMLElement>(`[data-value="${next.value}"]`)?.focus()
  }

  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
      {tabs.map(({ value: each, label: text, icon: Icon }) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`${id}-tab-${each}`}
          data-value={each}
          aria-controls={`${id}-panel-${each}`}
          aria-selected={each === value}
          tabIndex={each === value ? 0 : -1}
          className="tabs__tab"
          onClick={() => onChange(each)}
        >
          {Icon && <Icon className="i i-sm" aria-hidden />}
          {text}
        </button>
      ))}
    </div>
  )
}
