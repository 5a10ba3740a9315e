// JSON as a tree: opens and closes, searches, copies values and the ways to them.

import { Trans, useLingui } from '@lingui/react/macro'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ChevronRight, ChevronsDownUp, Copy, Route, Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { formatNumber } from '../../lib/format.ts'
import { keyLetter } from '../../lib/key-letter.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { IconButton } from '../../ui/button.tsx'
import { Spinner } from '../../ui/progress.tsx'
import { focusQuietly } from '../frame/viewer-keys.ts'
import { JsonClient, JsonProblem } from './json-client.ts'
import { type JsonRow, JsonRows } from './json-rows.ts'

const ROW_PX = 28

interface JsonTreeProps {
  /** The text, or its bytes, which are then handed over. */
  text: string | ArrayBuffer
  /** Further controls at the end of the bar. */
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
  const tree = useRef<{ client: JsonClient; rows: JsonRows }>(null)
  const [state, setState] = useState<State>({ phase: 'busy' })
  const [rows, setRows] = useState<readonly JsonRow[]>([])
  const [active, setActive] = useState('')
  const box = useRef<HTMLDivElement>(null)
  /** The row to bring into sight once the rows are there. */
  const sought = useRef<string | null>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 20,
  })

  useEffect(() => {
    const client = new JsonClient()
    tree.current = { client, rows: new JsonRows(client) }
    return () => {
      client.close()
      tree.current = null
    }
  }, [])

  useEffect(() => {
    if (autoFocus) focusQuietly(box.current)
  }, [autoFocus])

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
        if (current)
          setState({ phase: 'bad', place: error instanceof JsonProblem ? error.place : null })
      }
    }
    void open()
    return () => {
      current = false
    }
  }, [text])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows are the trigger
  useEffect(() => {
    const at = rows.findIndex((row) => row.id === sought.current)
    if (at < 0) return
    sought.current = null
    virtual.scrollToIndex(at, { align: 'center' })
  }, [rows])

  function show(id: string, open: boolean): Promise<void> {
    tree.current?.rows.toggle(id, open)
    return refresh()
  }

  const reveal = useEffectEvent(async (path: readonly { index: number }[]) => {
    const list = tree.current?.rows
    if (list === undefined) return
    const id = await list.reveal(path)
    setActive(id)
    sought.current = id
    await refresh()
  })

  async function copy(row: JsonRow, what: 'path' | 'value') {
    try {
      const client = tree.current?.client
      if (client === undefined) return
      await copyText(what === 'path' ? row.path : await client.text(row.node))
      toastSuccess(what === 'path' ? t`Path copied` : t`Value copied`)
    } catch (error) {
      toastError(error instanceof Error ? error.message : error)
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    const at = Math.max(
      0,
      rows.findIndex((row) => row.id === active),
    )
    const row = rows[at]
    if (row === undefined) return
    const move = (to: number) => {
      const next = rows[Math.min(Math.max(0, to), rows.length - 1)]
      if (next === undefined) return
      setActive(next.id)
      virtual.scrollToIndex(rows.indexOf(next))
    }
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / ROW_PX) - 1)
    const jump = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page }
    const edge = { Home: 0, End: rows.length - 1 }
    const target = { ...jump, ...edge }[event.key]
    if (target !== undefined) move(target)
    else if (event.key === 'ArrowRight') {
      if (row.expandable && !row.expanded) void show(row.id, true)
      else move(at + 1)
    } else if (event.key === 'ArrowLeft') {
      if (row.expanded) void show(row.id, false)
      else move(rows.findLastIndex((other, index) => index < at && other.level < row.level))
    } else if (event.key === 'Enter' && row.expandable) void show(row.id, !row.expanded)
    else if (isCopy(event) && getSelection()?.isCollapsed) void copy(row, 'value')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  if (state.phase === 'bad') return <Broken place={state.place} actions={actions} />
  const activeIndex = rows.findIndex((row) => row.id === active)
  return (
    <div className="jt">
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
        <div className="jt-wait">
          <Spinner large />
        </div>
      )}
      <div
        className="jt-rows"
        ref={box}
        role="tree"
        tabIndex={0}
        aria-label={t`JSON tree`}
        aria-activedescendant={activeIndex >= 0 ? `jt-${activeIndex}` : undefined}
        onKeyDown={onKeyDown}
        data-own-keys
      >
        <div style={{ blockSize: virtual.getTotalSize(), position: 'relative' }} role="none">
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            if (row === undefined) return null
            return (
              <Row
                key={row.id}
                id={`jt-${item.index}`}
                row={row}
                top={item.start}
                active={row.id === active}
                onActivate={() => setActive(row.id)}
                onToggle={() => void show(row.id, !row.expanded)}
                onCopy={(what) => void copy(row, what)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

function isCopy(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && keyLetter(event) === 'C'
}

interface JsonFindProps {
  actions: ReactNode
  find(wanted: string, after: number): ReturnType<JsonClient['find']>
  onFound(path: readonly { index: number }[]): void
  onCloseAll(): void
}

function JsonFind({ actions, find, onFound, onCloseAll }: JsonFindProps) {
  const { t } = useLingui()
  const [wanted, setWanted] = useState('')
  const [found, setFound] = useState<Awaited<ReturnType<typeof find>> | 'none'>('none')
  const asked = useRef(0)

  async function search(text: string, after: number) {
    const mine = ++asked.current
    if (text === '') {
      setFound('none')
      return
    }
    const next = await find(text, after).catch(() => null)
    if (mine !== asked.current) return
    setFound(next)
    if (next !== null) onFound(next.path)
  }
  const again = () => void search(wanted, found === 'none' || found === null ? -1 : found.offset)

  return (
    <search className="jt-bar">
      <span className="input jt-find">
        <Search className="i i-sm" aria-hidden />
        <input
          type="text"
          value={wanted}
          aria-label={t`Find in the tree`}
          placeholder={t`Find`}
          spellCheck={false}
          onChange={(event) => {
            setWanted(event.currentTarget.value)
            void search(event.currentTarget.value, -1)
          }}
          onKeyDown={(event) => {
            event.stopPropagation()
            if (event.key === 'Enter') again()
          }}
        />
      </span>
      <span className="jt-count num" role="status">
        {found === null && wanted !== '' && <Trans>No matches</Trans>}
        {found !== null && found !== 'none' && (
          <Trans>
            {formatNumber(found.current)} of{' '}
            {`${formatNumber(found.total)}${found.more ? '+' : ''}`}
          </Trans>
        )}
      </span>
      <IconButton
        size="sm"
        icon={ArrowDown}
        label={t`Next match`}
        disabled={wanted === ''}
        onClick={again}
      />
      <span className="grow" />
      <IconButton size="sm" icon={ChevronsDownUp} label={t`Close all`} onClick={onCloseAll} />
      {actions}
    </search>
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

function Row({ id, row, top, active, onActivate, onToggle, onCopy }: RowProps) {
  const { t } = useLingui()
  const { node, label, level, group } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys of all its rows
    // biome-ignore lint/a11y/useFocusableInteractive: it is the tree's active descendant
    <div
      id={id}
      className="jt-row"
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
      <span className="jt-twist">
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

interface BrokenProps {
  place: { line: number; column: number } | null
  actions: ReactNode
}

function Broken({ place, actions }: BrokenProps) {
  return (
    <div className="jt-broken" role="alert">
      <p>
        {place === null ? (
          <Trans>The tree can’t be made from this text.</Trans>
        ) : (
          <Trans>
            This is not valid JSON: it breaks at line {formatNumber(place.line)}, column{' '}
            {formatNumber(place.column)}.
          </Trans>
        )}
      </p>
      {actions}
    </div>
  )
}
