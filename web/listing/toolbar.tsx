// Above the entries: how many there are, the order in views without column heads, the filter. While
// something is selected the selection bar takes its place.

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ChevronDown, Ellipsis, ListFilter, X } from 'lucide-react'
import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { FileEntry } from '../../src/api-types.ts'
import { type ArchiveFormat, archiveEndings, archiveFormats } from '../api/files.ts'
import { formatCounts, formatNumber, formatSeries, formatSize } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { NARROW, PHONE, useMedia } from '../lib/page/media.ts'
import { chooseSort } from '../operations/choose-view.ts'
import { currentContext } from '../operations/commands/context.ts'
import {
  keysOf,
  menuEntries,
  selectionBar,
  selectionMore,
  selectionStart,
} from '../operations/commands/menus.ts'
import { actionOf } from '../operations/commands/registry.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import {
  type Action,
  type ActionContext,
  notHere,
  standingOf,
} from '../operations/commands/types.ts'
import { toastInfo } from '../operations/toasts.ts'
import { entriesOf, setShown, shownFolder } from '../state/listing.ts'
import { clearSelection } from '../state/selection.ts'
import { provide } from '../state/slots.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { SortMenu } from './sort-menu.tsx'
import { useColumnView } from './use-columns.ts'
import { useAbilities, useCounts, useListing, useSelection } from './use-listing.ts'

export function Toolbar() {
  const { paths, mode } = useSelection()
  const phone = useMedia(PHONE)
  if ((paths.size > 0 || mode) && !phone) return <SelectionBar />
  return <IdleBar phone={phone} />
}

function IdleBar({ phone }: { phone: boolean }) {
  const phase = useListing()
  const { view, visible, filter, sort } = phase.shown
  const { paths } = useSelection()
  const pictures = useCounts().pictures > 0
  const waiting = phase.kind === 'loading' && phase.slow
  const columns = useColumnView()
  return (
    <div className="tools row rigid fs-md">
      <span className="tools__count grow" aria-live="off">
        {paths.size > 0 ? (
          <SelectedSize />
        ) : phone ? (
          <Breadcrumbs vpath={phase.vpath} />
        ) : waiting ? (
          <span className="sk tools__sk" />
        ) : (
          <Counts />
        )}
      </span>
      {(view !== 'list' || phone || columns || pictures) && visible.length + filter.length > 0 && (
        <SortMenu sort={sort} onChange={chooseSort} pictures={pictures} />
      )}
      {(phase.kind !== 'failed' || filter !== '') && <FilterField folded={phone} />}
    </div>
  )
}

function Counts() {
  const { t } = useLingui()
  const { kind, shown: folder } = useListing()
  const { folders, files } = useCounts()
  if (kind === 'failed') return null
  if (folder.filter.trim() !== '') {
    const shown = formatNumber(folder.visible.length)
    const all = formatNumber(folders + files)
    return t`${shown} of ${all} shown`
  }
  return formatCounts(folders, files) || (kind === 'folder' ? t`Empty folder` : null)
}

interface PhoneActionsProps {
  plan: readonly Action[]
  context: ActionContext
}

/** Sum of the selected files; folders count as nothing, because their size is unknown. */
export function sizeOf(entries: readonly FileEntry[]): number {
  let bytes = 0
  for (const entry of entries) if (!entry.isDir) bytes += entry.size
  return bytes
}

function SelectedSize() {
  const entries = useSelectedEntries()
  const count = entries.length
  const bytes = sizeOf(entries)
  if (bytes === 0) return <>{plural(count, { one: '# item', other: '# items' })}</>
  const size = formatSize(bytes)
  return <>{plural(count, { one: `${size} in # item`, other: `${size} in # items` })}</>
}

export function useSelectedEntries(): FileEntry[] {
  const { paths } = useSelection()
  const { visible, folder } = useListing().shown
  // biome-ignore lint/correctness/useExhaustiveDependencies: what entriesOf reads
  return useMemo(() => entriesOf(paths), [paths, visible, folder])
}

function SelectionBar() {
  const { t, i18n } = useLingui()
  const entries = useSelectedEntries()
  const narrow = useMedia(NARROW)
  // Rights can change under an open page.
  useAbilities()
  const context = currentContext()
  const count = entries.length
  const bytes = sizeOf(entries)
  useEffect(() => {
    const parts = [plural(count, { one: '# selected', other: '# selected' })]
    if (bytes > 0) parts.push(formatSize(bytes))
    announce(formatSeries(parts))
  }, [count, bytes])
  // Without a selection some would mean the whole folder or the entry with the focus, which is not what
  // this bar is about.
  const fitting = count === 0 ? [] : selectionBar.map(actionOf)
  const shown = fitting.filter((action) => standingOf(action, context) !== 'absent')
  const more = count === 0 ? selectionStart : selectionMore
  return (
    <div
      className="tools row selbar rigid fs-md tone-accent"
      role="toolbar"
      aria-label={t`Selection`}
      id="multiple-selection"
    >
      <IconButton
        size="sm"
        icon={X}
        label={t`Clear selection`}
        shortcut={shownKeys('Escape')}
        onClick={clearSelection}
      />
      <strong className="num">{plural(count, { one: '# selected', other: '# selected' })}</strong>
      {bytes > 0 && <span className="selbar__size num">{formatSize(bytes)}</span>}
      <span className="grow" />
      <FilterField folded />
      {shown.map((action, index) => (
        <Fragment key={action.id}>
          <BarAction
            action={action}
            label={i18n._(action.shortLabel ?? action.label)}
            disabled={standingOf(action, context) === 'off' && notHere()}
            iconOnly={narrow || (index > 3 && action.id !== 'delete' && shown.length > 5)}
          />
          {action.id === 'download' && <OtherFormats context={context} />}
        </Fragment>
      ))}
      <span className="vr" />
      <MenuButton label={t`More`} items={() => menuEntries(more, currentContext())}>
        {(trigger) => <IconButton {...trigger} size="sm" icon={Ellipsis} label={t`More`} />}
      </MenuButton>
    </div>
  )
}

/** Behind an arrow beside Download, which makes a zip of several things. */
function OtherFormats({ context }: { context: ActionContext }) {
  const { i18n } = useLingui()
  const action = actionOf('download-as')
  if (standingOf(action, context) !== 'on') return null
  const label = i18n._(action.label)
  const download = async (format: ArchiveFormat) => {
    const { folder, selected } = currentContext()
    if (folder === null) return
    const { downloadArchive } = await import('../operations/archives.ts')
    await downloadArchive(folder, selected, format)
  }
  const items = () =>
    archiveFormats.map((format) => ({
      id: format,
      label: archiveEndings[format],
      dir: 'ltr' as const,
      onSelect: () => void download(format),
    }))
  return (
    <MenuButton label={label} items={items}>
      {(trigger) => (
        <IconButton
          {...trigger}
          size="sm"
          className="selbar__formats"
          icon={ChevronDown}
          label={label}
        />
      )}
    </MenuButton>
  )
}

function BarAction({
  action,
  label,
  disabled,
  iconOnly,
}: {
  action: Action
  label: string
  /** Why it cannot be used. */
  disabled: string | false
  iconOnly: boolean
}) {
  const run = () => void action.run(currentContext())
  const flipIcon = action.flipIcon ?? false
  if (iconOnly) {
    return (
      <IconButton
        size="sm"
        icon={action.icon}
        flipIcon={flipIcon}
        label={label}
        shortcut={keysOf(action)}
        disabled={disabled}
        onClick={run}
      />
    )
  }
  return (
    <Button
      icon={action.icon}
      flipIcon={flipIcon}
      data-tip-keys={keysOf(action)}
      disabled={disabled}
      onClick={run}
    >
      {label}
    </Button>
  )
}

/** The commands at the lower edge of a phone while something is selected. */
export function PhoneActions({ plan, context }: PhoneActionsProps) {
  const { i18n } = useLingui()
  const standing = (action: Action) => standingOf(action, context)
  return plan
    .filter((action) => standing(action) !== 'absent')
    .map((action) => (
      <button
        key={action.id}
        type="button"
        className={action.danger ? 'bbar__item is-danger mid stack' : 'bbar__item mid stack'}
        aria-disabled={standing(action) === 'off' || undefined}
        onClick={() =>
          standing(action) === 'on' ? void action.run(currentContext()) : toastInfo(notHere())
        }
      >
        <action.icon className={action.flipIcon ? 'i i-lg flip' : 'i i-lg'} aria-hidden />
        <span>{i18n._(action.shortLabel ?? action.label)}</span>
      </button>
    ))
}

function FilterField({ folded }: { folded?: boolean }) {
  const { t } = useLingui()
  const { filter } = useListing().shown
  const input = useRef<HTMLInputElement>(null)
  const [asked, setAsked] = useState(false)
  const shown = !folded || asked || filter !== ''

  useEffect(() => {
    // At once: what is typed next belongs into the field.
    const run = () => {
      flushSync(() => setAsked(true))
      input.current?.focus()
      input.current?.select()
    }
    return provide('filter', { run })
  }, [])

  if (!shown) return null

  function close() {
    setShown({ filter: '' })
    setAsked(false)
    document.getElementById('listing')?.focus({ preventScroll: true })
  }

  return (
    <search className="filter in-box">
      <ListFilter className="i i-sm" aria-hidden />
      <input
        ref={input}
        type="text"
        dir="auto"
        aria-label={t`Filter this folder`}
        placeholder={t`Filter this folder`}
        value={filter}
        spellCheck={false}
        autoComplete="off"
        enterKeyHint="done"
        onChange={(event) => {
          setShown({ filter: event.currentTarget.value })
          const count = shownFolder().visible.length
          announce(t`${plural(count, { one: '# result', other: '# results' })}`)
        }}
        onBlur={() => {
          if (shownFolder().filter === '') setAsked(false)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
          else if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.currentTarget.blur()
            document.getElementById('listing')?.focus({ preventScroll: true })
          } else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {filter !== '' && <IconButton size="sm" icon={X} label={t`Clear filter`} onClick={close} />}
    </search>
  )
}
