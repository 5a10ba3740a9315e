// Above the entries: how many there are, the order in views without column heads, the filter. While
// something is selected the selection bar takes its place.

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ListFilter, X } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { FileEntry } from '../../src/api-types.ts'
import { formatCounts, formatNumber, formatSize } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { PHONE, useMedia } from '../lib/page/media.ts'
import { onDemandBeside } from '../lib/page/on-demand.tsx'
import { chooseSort } from '../operations/choose-view.ts'
import { currentContext } from '../operations/commands/context.ts'
import {
  type Action,
  type ActionContext,
  notHere,
  standingOf,
} from '../operations/commands/types.ts'
import { toastInfo } from '../operations/toasts.ts'
import { entriesOf, setShown, shownFolder } from '../state/listing.ts'
import { provide } from '../state/slots.ts'
import { IconButton } from '../ui/button.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { SortMenu } from './sort-menu.tsx'
import { useColumnView } from './use-columns.ts'
import { useCounts, useListing, useSelection } from './use-listing.ts'

const SelectionBar = onDemandBeside(
  async () => (await import('./selection-bar.tsx')).SelectionBar,
  () => <div className="tools selbar rigid tone-accent" />,
)
export const HitCount = onDemandBeside(async () => (await import('./hits/hit-count.tsx')).HitCount)

export function Toolbar() {
  const { paths, mode } = useSelection()
  const phone = useMedia(PHONE)
  if ((paths.size > 0 || mode) && !phone) return <SelectionBar />
  return <IdleBar phone={phone} />
}

function IdleBar({ phone }: { phone: boolean }) {
  const phase = useListing()
  const { view, visible, filter, sort, folder } = phase.shown
  const isSearch = folder?.search !== undefined
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
        ) : isSearch ? (
          <HitCount />
        ) : (
          <Counts />
        )}
      </span>
      {(view !== 'list' || phone || columns || pictures || isSearch) &&
        visible.length + filter.length > 0 && (
          <SortMenu sort={sort} onChange={chooseSort} pictures={pictures} isSearch={isSearch} />
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
        aria-label={i18n._(action.label)}
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

export function FilterField({ folded }: { folded?: boolean }) {
  const { t } = useLingui()
  const { filter, folder } = useListing().shown
  const label = folder?.search ? t`Filter results` : t`Filter this folder`
  const input = useRef<HTMLInputElement>(null)
  const [asked, setAsked] = useState(false)
  const shown = !folded || asked || filter !== ''

  // In the same turn as it comes and goes, so that no key finds the one that has gone.
  useLayoutEffect(() => {
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
        aria-label={label}
        placeholder={label}
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
