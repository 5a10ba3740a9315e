// The command palette: every command that fits now, pinned and recent folders, and a search.

import { Trans, useLingui } from '@lingui/react/macro'
import { Folder, type LucideIcon, Pin, Search, SquareChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { keyLetter } from '../lib/page/keys.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useModal } from '../lib/page/use-modal.ts'
import { nameOf, parentOf, shownName } from '../lib/paths.ts'
import { foldForTyping } from '../lib/type-ahead.ts'
import { currentContext } from '../operations/commands/context.ts'
import { keysOf } from '../operations/commands/menus.ts'
import { openFolder, openSearch } from '../operations/commands/open-entry.ts'
import { actions } from '../operations/commands/registry.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { prefs } from '../state/prefs.ts'
import { recentFolders } from '../state/recent-folders.ts'
import { Kbd } from '../ui/badge.tsx'
import { Combobox } from '../ui/combobox.tsx'
import styles from './files.css?url'

await loadStylesheet(styles)

interface Item {
  id: string
  label: string
  note?: string
  keys?: string | undefined
  icon: LucideIcon
  flip?: boolean
  run: () => void
}

interface Group {
  id: string
  title: string
  items: Item[]
}

export function PalettePrompt({ answer }: PromptProps<'palette'>) {
  const { t } = useLingui()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const groups = useGroups(text)
  const items = groups.flatMap((group) => group.items)
  const active = Math.min(at, items.length - 1)
  const wanted = wantedOf(text)

  useModal(dialog, { focus: () => input.current?.focus(), dismiss: () => answer(null) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: the active line moved
  useEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [active, text])

  function type(value: string) {
    setText(value)
    setAt(0)
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
      aria-label={t`Commands`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.target === dialog.current && answer(null)}
    >
      <div className="palette__box col">
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the combobox is its control */}
        <label className="palette__field in-box row line-bottom">
          <SquareChevronRight className="i flip" aria-hidden />
          <Combobox
            ref={input}
            label={t`Type a command or a folder`}
            value={text}
            onChange={type}
            list={`${id}-list`}
            active={active}
          />
          <Kbd keys={shownKeys('Escape')} />
        </label>
        <div className="palette__list" role="listbox" id={`${id}-list`} aria-label={t`Commands`}>
          {groups.map((group) => (
            <div key={group.id} role="group" aria-label={group.title}>
              <GroupTitle>{group.title}</GroupTitle>
              {group.items.map((item) => {
                const index = items.indexOf(item)
                return (
                  <Option
                    key={item.id}
                    id={`${id}-list-${index}`}
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
        <Foot />
      </div>
    </dialog>
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
      <item.icon className={item.flip ? 'i flip' : 'i'} aria-hidden />
      <Marked label={item.label} typed={typed} />
      {item.note !== undefined && <span className="palette__note">{item.note}</span>}
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
      <Trans>No matching commands</Trans>
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
        <Kbd keys="↵" /> <Trans>Run</Trans>
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

function wantedOf(text: string): string {
  return foldForTyping(text.replace(/^>/, '').trim())
}

function useGroups(text: string): Group[] {
  const { t, i18n } = useLingui()
  const [context] = useState(currentContext)
  return useMemo(() => {
    const onlyActions = text.startsWith('>')
    const wanted = wantedOf(text)
    const words = wanted.split(/\s+/).filter((word) => word !== '')
    const fits = (label: string) => {
      const folded = foldForTyping(label)
      return words.every((word) => folded.includes(word))
    }
    const commands = actions
      .filter((action) => action.id !== 'palette' && action.enabled(context))
      .map((action) => ({ action, label: i18n._(action.label) }))
      .filter(({ label }) => fits(label))
      .map(({ action, label }) => ({
        id: action.id,
        label,
        keys: keysOf(action),
        icon: action.icon,
        flip: action.flipIcon ?? false,
        run: () => void action.run(context),
      }))
    const pinned = prefs.pinned.map((pin) => pin.path)
    const folders = [...pinned, ...recentFolders().filter((path) => !pinned.includes(path))]
      .filter((path) => path !== context.folder && fits(nameOf(path)))
      .map((path, index) => ({
        id: path,
        label: shownName(nameOf(path)),
        note: folderTitle(parentOf(path)),
        icon: index < pinned.length && pinned.includes(path) ? Pin : Folder,
        run: () => openFolder(path),
      }))
    const groups: Group[] = [{ id: 'actions', title: t`Actions`, items: commands }]
    if (!onlyActions) groups.push({ id: 'folders', title: t`Go to`, items: folders })
    const query = text.trim()
    if (!onlyActions && query !== '') {
      groups.push({
        id: 'search',
        title: t`Search`,
        items: [
          {
            id: 'search-for',
            label: t`Search for files named “${query}”`,
            keys: shownKeys('Mod+Shift+F'),
            icon: Search,
            run: () => openSearch(query),
          },
        ],
      })
    }
    return groups.filter((group) => group.items.length > 0)
  }, [text, context, i18n, t])
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
