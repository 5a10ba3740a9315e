// JSON as a tree: opens and closes, searches, copies values and the ways to them.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, Copy, Route } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { formatNumber } from '../../lib/format.ts'
import { keyLetter } from '../../lib/page/keys.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/progress.tsx'
import { focusQuietly } from '../frame/viewer-keys.ts'
import { JsonClient, JsonProblem } from './json-client.ts'
import { JsonFind } from './json-find.tsx'
import { type JsonRow, JsonRows } from './json-rows.ts'

const ROW_PX = 28

interface JsonTreeProps {
  /** The text, or its bytes, which are then handed over. */
  text: string | ArrayBuffer
  actions?: ReactNode
  /** Takes the keys when it opens, which a tree beside the text being typed must not do. */
  autoFocus?: boolean
}

type State =
  | { phase: 'busy' }
  | { phase: 'ready' }
  | { phase: 'bad'; place: { line: number; column: number } | null }

export function JsonTree({ text, actions, autoFocus = false }: JsonTreeProps) {
  const { t } = useLingui()
  const [active, setActive] = useState('')
  /** The row to bring into sight once the rows are there. */
  const sought = useRef<string | null>(null)
  const { tree, state, rows, refresh, show } = useTree(text)

  async function reveal(path: readonly { index: number }[]) {
    const id = await tree.current?.rows.reveal(path)
    if (id === undefined) return
    setActive(id)
    sought.current = id
    await refresh()
  }

  function copy(row: JsonRow, what: 'path' | 'value') {
    const client = tree.current?.client
    if (client === undefined) return
    if (what === 'path') void copyWithToast(row.path, t`Path copied`)
    else void copyWithToast(client.text(row.node), t`Value copied`)
  }

  if (state.phase === 'bad') return <Broken place={state.place} actions={actions} />
  return (
    <div className="jt vw-part col">
      <JsonFind
        actions={actions}
        find={(wanted, after) => tree.current?.client.find(wanted, after) ?? Promise.resolve(null)}
        onFound={(path) => void reveal(path)}
        onCloseAll={() => {
          tree.current?.rows.closeAll()
          void refresh()
        }}
      />
      {state.phase === 'busy' && (
        <div className="jt-wait center">
          <Spinner large />
        </div>
      )}
      <Rows
        {...{ rows, active, sought, autoFocus }}
        onActivate={setActive}
        onToggle={(row) => void show(row.id, !row.expanded)}
        onCopy={copy}
      />
    </div>
  )
}

interface RowsProps {
  rows: readonly JsonRow[]
  active: string
  /** Id of a row to bring into sight when it is there. */
  sought: RefObject<string | null>
  autoFocus: boolean
  onActivate(id: string): void
  onToggle(row: JsonRow): void
  onCopy(row: JsonRow, what: 'path' | 'value'): void
}

function Rows({ rows, active, sought, autoFocus, onActivate, onToggle, onCopy }: RowsProps) {
  const { t } = useLingui()
  const box = useRef<HTMLDivElement>(null)
  const virtual = useRows(() => box.current, rows.length, ROW_PX, { overscan: 20 })

  useEffect(() => {
    if (autoFocus) focusQuietly(box.current)
  }, [autoFocus])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows are the trigger
  useEffect(() => {
    const at = rows.findIndex((row) => row.id === sought.current)
    if (at < 0) return
    sought.current = null
    virtual.scrollToIndex(at, { align: 'center' })
  }, [rows])

  const activeIndex = rows.findIndex((row) => row.id === active)
  function onKeyDown(event: KeyboardEvent) {
    const at = Math.max(0, activeIndex)
    const row = rows[at]
    if (row === undefined) return
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / ROW_PX) - 1)
    const command = commandOf(event, rows, at, page)
    if (typeof command === 'number') {
      const to = Math.min(Math.max(0, command), rows.length - 1)
      onActivate(rows[to]?.id ?? '')
      virtual.scrollToIndex(to)
    } else if (command === 'toggle') onToggle(row)
    else if (isCopy(event) && getSelection()?.isCollapsed) onCopy(row, 'value')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      className="jt-rows vw-scroll"
      ref={box}
      role="tree"
      tabIndex={0}
      aria-label={t`JSON tree`}
      aria-activedescendant={activeIndex >= 0 ? `jt-${activeIndex}` : undefined}
      onKeyDown={onKeyDown}
      data-own-keys
    >
      <div style={{ blockSize: virtual.getTotalSize(), position: 'relative' }} role="none">
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <TreeRow
              key={row.id}
              id={`jt-${index}`}
              row={row}
              top={start}
              active={row.id === active}
              onActivate={() => onActivate(row.id)}
              onToggle={() => onToggle(row)}
              onCopy={(what) => onCopy(row, what)}
            />
          )
        })}
      </div>
    </div>
  )
}

function useTree(text: string | ArrayBuffer) {
  const tree = useRef<{ client: JsonClient; rows: JsonRows }>(null)
  const [state, setState] = useState<State>({ phase: 'busy' })
  const [rows, setRows] = useState<readonly JsonRow[]>([])

  useEffect(() => {
    const client = new JsonClient()
    tree.current = { client, rows: new JsonRows(client) }
    return () => {
      client.close()
      tree.current = null
    }
  }, [])

  const refresh = useEffectEvent(async (): Promise<void> => {
    const next = await tree.current?.rows.list()
    if (next) setRows(next)
  })

  useEffect(() => {
    let current = true
    const open = async () => {
      if (tree.current === null) return
      const { client, rows: list } = tree.current
      try {
        const { root } = await client.open(text)
        if (!current) return
        list.setRoot(root)
        await refresh()
        if (current) setState({ phase: 'ready' })
      } catch (error) {
        const place = error instanceof JsonProblem ? error.place : null
        if (current) setState({ phase: 'bad', place })
      }
    }
    void open()
    return () => {
      current = false
    }
  }, [text])

  function show(id: string, open: boolean): Promise<void> {
    tree.current?.rows.toggle(id, open)
    return refresh()
  }
  return { tree, state, rows, refresh, show }
}

/** What a key means at a row: the index to go to, opening or closing, or nothing. */
function commandOf(
  { key }: KeyboardEvent,
  rows: readonly JsonRow[],
  at: number,
  page: number,
): number | 'toggle' | null {
  const row = rows[at]
  const jump = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page }
  const target = { ...jump, Home: 0, End: rows.length - 1 }[key]
  if (target !== undefined) return target
  if (row === undefined) return null
  if (key === 'ArrowRight') return row.expandable && !row.expanded ? 'toggle' : at + 1
  if (key === 'ArrowLeft') {
    if (row.expanded) return 'toggle'
    return rows.findLastIndex((other, index) => index < at && other.level < row.level)
  }
  return key === 'Enter' && row.expandable ? 'toggle' : null
}

function isCopy(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && keyLetter(event) === 'C'
}

interface BrokenProps {
  place: { line: number; column: number } | null
  actions: ReactNode
}

function Broken({ place, actions }: BrokenProps) {
  return (
    <div className="jt-broken row wraps fs-md tone-warn" role="alert">
      <p>
        {place === null ? (
          <Trans>This file can’t be shown as a tree.</Trans>
        ) : (
          <Trans>
            Invalid JSON: error at line {formatNumber(place.line)}, column{' '}
            {formatNumber(place.column)}.
          </Trans>
        )}
      </p>
      {actions}
    </div>
  )
}

interface RowProps {
  id: string
  row: JsonRow
  top: number
  active: boolean
  onActivate(): void
  onToggle(): void
  onCopy(what: 'path' | 'value'): void
}

function TreeRow({ id, row, top, active, onActivate, onToggle, onCopy }: RowProps) {
  const { t } = useLingui()
  const { node, label, level, group } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows
    // biome-ignore lint/a11y/useFocusableInteractive: it is the tree's active descendant
    <div
      id={id}
      className="jt-row row nowrap"
      role="treeitem"
      aria-level={level + 1}
      aria-selected={active}
      aria-expanded={row.expandable ? row.expanded : undefined}
      style={{ transform: `translateY(${top}px)`, '--jt-level': level } as React.CSSProperties}
      onClick={() => {
        onActivate()
        if (row.expandable && getSelection()?.isCollapsed !== false) onToggle()
      }}
    >
      <span className="jt-twist rigid dim">
        {row.expandable && <ChevronRight className="i i-xs flip" aria-hidden />}
      </span>
      {label !== null && (
        <span className={label.isIndex ? 'jt-index' : 'jt-key'}>
          {label.text}
          <span className="jt-colon">:</span>
        </span>
      )}
      {node.kind === 'object' || node.kind === 'array' ? (
        <span className="jt-size">
          {group === null && <Size kind={node.kind} count={node.count} />}
        </span>
      ) : (
        <span className={`jt-value jt-${node.kind}`}>{node.text}</span>
      )}
      <span className="jt-copy">
        <IconButton
          size="sm"
          icon={Route}
          label={t`Copy path`}
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation()
            onCopy('path')
          }}
        />
        <IconButton
          size="sm"
          icon={Copy}
          label={t`Copy value`}
          tabIndex={-1}
          onClick={(event) => {
            event.stopPropagation()
            onCopy('value')
          }}
        />
      </span>
    </div>
  )
}

function Size({ kind, count }: { kind: 'object' | 'array'; count: number }) {
  const size = formatNumber(count)
  return kind === 'object' ? `{ ${size} }` : `[ ${size} ]`
}
