// The tree of folders to choose from: what of it is loaded and open, and its rows with their keys.

import { useLingui } from '@lingui/react/macro'
import { ChevronRight } from 'lucide-react'
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import { isRtl } from '../../lib/i18n.ts'
import { lineageOf, parentOf, ROOT, shownName } from '../../lib/paths.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import {
  emptyTree,
  subfoldersOf,
  type TreeRow,
  withChildren,
  withExpanded,
  withFolder,
} from '../../state/folder-tree.ts'
import { listFolder } from '../../state/listed-folder.ts'
import { FolderGlyph } from '../../ui/file-icon.tsx'
import { Spinner } from '../../ui/progress.tsx'

/** The folders from the root down to `start`, and what is opened from there. */
export function useTree(start: string) {
  const [state, setState] = useState(emptyTree)
  const [loading, setLoading] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const controller = useRef<AbortController>(null)

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each start
  useEffect(() => {
    const own = new AbortController()
    controller.current = own
    void openWay(start)
    return () => own.abort()
  }, [start])

  async function openWay(path: string) {
    const signal = controller.current?.signal
    if (signal === undefined) return
    for (const folder of lineageOf(path)) await loadInto(folder, signal)
  }

  async function loadInto(path: string, signal: AbortSignal) {
    setLoading(path)
    try {
      const folders = await subfoldersOf(await listFolder(path, signal))
      setState((tree) => withExpanded(withChildren(tree, path, folders), path, true))
      setError(null)
    } catch (problem) {
      if (!isAbort(problem) && !signal.aborted) setError(problem)
    } finally {
      setLoading((now) => (now === path ? null : now))
    }
  }

  return {
    state,
    loading,
    error,
    toggle(path: string, expanded: boolean) {
      if (expanded && !state.children.has(path)) {
        const signal = controller.current?.signal
        if (signal !== undefined) void loadInto(path, signal)
      } else setState((tree) => withExpanded(tree, path, expanded))
    },
    /** Opens what is above a folder, so that it can be seen. */
    reveal(path: string) {
      void openWay(parentOf(path))
    },
    add(path: string) {
      setState((tree) => withFolder(tree, path))
    },
  }
}

interface TreeProps {
  box: RefObject<HTMLDivElement | null>
  rows: readonly TreeRow[]
  /** Search results: paths instead of levels. */
  flat: boolean
  target: string
  current: string
  blocked: (path: string) => boolean
  loading: string | null
  onChoose: (path: string) => void
  onToggle: (path: string, expanded: boolean) => void
  onEnter: () => void
}

export function Tree(props: TreeProps) {
  const { box, rows, flat, target, current, blocked, loading, onChoose, onToggle, onEnter } = props
  const { t } = useLingui()
  const id = useId()
  const open = useMemo(() => rows.filter((row) => !blocked(row.path)), [rows, blocked])
  const at = rows.findIndex((row) => row.path === target)

  /** Until another one is chosen. */
  const first = useRef<string | null>(target)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the row may have been drawn just now
  useEffect(() => {
    if (first.current !== target) first.current = null
    // The folder one comes from is shown with what is in it.
    const block = first.current === null ? 'nearest' : 'center'
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block })
  }, [target, rows.length])

  function onKeyDown(event: React.KeyboardEvent) {
    const index = open.findIndex((row) => row.path === target)
    const row = rows[at]
    const forward = isRtl() ? 'ArrowLeft' : 'ArrowRight'
    const back = isRtl() ? 'ArrowRight' : 'ArrowLeft'
    const choose = (next: TreeRow | undefined) => {
      if (next !== undefined) onChoose(next.path)
    }
    if (event.key === 'ArrowDown') choose(open[index + 1])
    else if (event.key === 'ArrowUp') choose(open[Math.max(0, index - 1)])
    else if (event.key === 'Home') choose(open[0])
    else if (event.key === 'End') choose(open.at(-1))
    else if (event.key === forward && row !== undefined) {
      if (row.expanded) choose(open[index + 1])
      else onToggle(row.path, true)
    } else if (event.key === back && row !== undefined) {
      if (row.expanded) onToggle(row.path, false)
      else choose(open.findLast((other, i) => i < index && other.level < row.level))
    } else if (event.key === 'Enter') onEnter()
    else return
    event.preventDefault()
  }

  return (
    <div
      ref={box}
      role="tree"
      aria-label={t`Folders`}
      aria-activedescendant={at < 0 ? undefined : `${id}-${at}`}
      tabIndex={0}
      className="tree"
      onKeyDown={onKeyDown}
    >
      {rows.map((row, index) => (
        <Row
          key={row.path}
          id={`${id}-${index}`}
          row={row}
          {...{ flat, target, current, loading, onToggle }}
          off={blocked(row.path)}
          onChoose={() => onChoose(row.path)}
        />
      ))}
    </div>
  )
}

interface RowProps extends Pick<TreeProps, 'flat' | 'target' | 'current' | 'loading' | 'onToggle'> {
  id: string
  row: TreeRow
  off: boolean
  onChoose(): void
}

function Row({ id, row, off, flat, target, current, loading, onChoose, onToggle }: RowProps) {
  const { t } = useLingui()
  const name = row.path === ROOT ? folderTitle(ROOT) : row.name
  const note = row.path === current ? t`Current folder` : null
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={row.level}
      aria-expanded={row.hasChildren === false ? undefined : row.expanded}
      aria-selected={row.path === target}
      aria-disabled={off || undefined}
      aria-label={note === null ? name : `${name} ${note}`}
      className="tree__row row rounded"
      style={{ paddingInlineStart: `${(row.level - 1) * 1.25 + 0.4}rem` }}
      onClick={() => {
        if (!off) onChoose()
      }}
      onDoubleClick={() => {
        if (!off) onToggle(row.path, !row.expanded)
      }}
    >
      {!flat && (
        <button
          type="button"
          tabIndex={-1}
          className={row.expanded ? 'tree__twist center is-open' : 'tree__twist center'}
          aria-hidden
          hidden={row.hasChildren === false}
          onClick={(event) => {
            event.stopPropagation()
            onToggle(row.path, !row.expanded)
          }}
        >
          <ChevronRight className="i i-sm flip" />
        </button>
      )}
      {loading === row.path ? <Spinner /> : <FolderGlyph />}
      <bdi className="trunc">{name}</bdi>
      {flat && <small className="trunc dim">{shownName(row.path)}</small>}
      {note !== null && (
        <>
          {' '}
          <small className="tree__note nowrap">{note}</small>
        </>
      )}
    </div>
  )
}
