// The one box for what is looked for: commands that fit now, pinned and recent folders, and the best of the files
// and folders with such a name. All of them, with filters, are in overlay.tsx.

import { Trans, useLingui } from '@lingui/react/macro'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { keyLetter } from '../lib/page/keys.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useModal } from '../lib/page/use-modal.ts'
import { usePressBeside } from '../lib/page/use-press-beside.ts'
import { foldForTyping } from '../lib/type-ahead.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Kbd } from '../ui/badge.tsx'
import { Combobox } from '../ui/combobox.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { Spinner } from '../ui/progress.tsx'
import { EnterKey } from './enter-key.tsx'
import styles from './palette.css?url'
import { type Group, type Item, useGroups, wantedOf } from './palette-groups.ts'

await loadStylesheet(styles)

export function PalettePrompt({ answer }: PromptProps<'palette'>) {
  const { t } = useLingui()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const { groups, running } = useGroups(text)
  const items = groups.flatMap((group) => group.items)
  // By its name: better hits may come before it.
  const active = Math.max(
    items.findIndex((item) => item.id === chosen),
    Math.min(0, items.length - 1),
  )
  const setAt = (index: number) => setChosen(items[index]?.id ?? null)
  const wanted = wantedOf(text)

  useModal(dialog, { focus: () => input.current?.focus(), dismiss: () => answer(null) })
  const beside = usePressBeside(() => answer(null))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the active line moved
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active, text])

  function type(value: string) {
    setText(value)
    setChosen(null)
  }

  function run(item: Item | undefined) {
    if (item === undefined) return
    answer(null)
    // After this dialog gave the focus back: a dialog opened now returns it to the same place.
    setTimeout(item.run)
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    const to = lineOf(event.key, active, items.length, text)
    if (to !== null) setAt(to)
    else if (event.key === 'Enter') run(items[active])
    else if (event.key === 'Escape' || (keyLetter(event) === 'K' && event.ctrlKey)) answer(null)
    else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      className="dlg dlg--top palette"
      aria-label={t`Search and commands`}
      onKeyDown={onKeyDown}
      {...beside}
    >
      <div className="palette__box col">
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the combobox is its control */}
        <label className="palette__field in-box row line-bottom">
          <Search className="i" aria-hidden />
          <Combobox
            ref={input}
            label={t`Search files, folders and commands`}
            value={text}
            onChange={type}
            list={`${id}-list`}
            active={active}
          />
          {running && <Spinner />}
          <Kbd keys={shownKeys('Escape')} />
        </label>
        <List id={`${id}-list`} {...{ groups, items, active, wanted, setAt, run }} />
        <Foot />
      </div>
    </dialog>
  )
}

interface ListProps {
  id: string
  groups: readonly Group[]
  items: readonly Item[]
  active: number
  wanted: string
  setAt(index: number): void
  run(item: Item): void
}

function List({ id, groups, items, active, wanted, setAt, run }: ListProps) {
  const { t } = useLingui()
  return (
    <div className="palette__list" role="listbox" id={id} aria-label={t`Results`}>
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
        <div key={group.id} role="group" aria-label={group.title}>
          <GroupTitle>{group.title}</GroupTitle>
          {group.items.map((item) => {
            const index = items.indexOf(item)
            return (
              <Option
                key={item.id}
                id={`${id}-${index}`}
                item={item}
                typed={wanted}
                active={index === active}
                onHover={() => setAt(index)}
                onRun={() => run(item)}
              />
            )
          })}
        </div>
      ))}
      {items.length === 0 && <NoMatch />}
    </div>
  )
}

function lineOf(key: string, at: number, lines: number, typed: string): number | null {
  const count = Math.max(lines, 1)
  if (key === 'ArrowDown') return (at + 1) % count
  if (key === 'ArrowUp') return (at - 1 + count) % count
  if (typed !== '') return null
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}

interface OptionProps {
  id: string
  item: Item
  typed: string
  active: boolean
  onHover(): void
  onRun(): void
}

function Option({ id, item, typed, active, onHover, onRun }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      className="palette__item row rounded"
      onPointerMove={onHover}
      onClick={onRun}
    >
      {item.entry ? (
        <FileTile entry={item.entry} />
      ) : (
        <item.icon className={item.flip ? 'i flip' : 'i'} aria-hidden />
      )}
      <Marked label={item.label} typed={typed} />
      {item.note !== undefined && (
        <span className="palette__note row">
          <bdi className="trunc">{item.note}</bdi>
        </span>
      )}
      {item.keys !== undefined && (
        <span className="palette__keys">
          <Kbd keys={item.keys} />
        </span>
      )}
    </div>
  )
}

function GroupTitle({ children }: { children: string }) {
  return (
    <div className="eyebrow strong dim" aria-hidden>
      {children}
    </div>
  )
}

function NoMatch() {
  return (
    <p className="hint palette__none">
      <Trans>Nothing found</Trans>
    </p>
  )
}

function Foot() {
  return (
    <footer className="palette__foot row not-phone fs-sm dim line-top">
      <span>
        <Kbd keys="↑ ↓" /> <Trans>Move</Trans>
      </span>
      <span>
        <EnterKey /> <Trans>Run</Trans>
      </span>
      <span className="grow" />
      <span>
        <Trans>
          Type <Kbd keys=">" /> to show only actions
        </Trans>
      </span>
    </footer>
  )
}

function Marked({ label, typed }: { label: string; typed: string }) {
  const at = typed === '' ? -1 : foldForTyping(label).indexOf(typed)
  // Folding can change the length of a text; then nothing is marked rather than the wrong letters.
  if (at < 0 || foldForTyping(label).length !== label.length) {
    return <bdi className="trunc">{label}</bdi>
  }
  return (
    <bdi className="trunc">
      {label.slice(0, at)}
      <mark>{label.slice(at, at + typed.length)}</mark>
      {label.slice(at + typed.length)}
    </bdi>
  )
}
