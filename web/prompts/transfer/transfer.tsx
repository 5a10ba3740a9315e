// Where to move or copy to: a tree of folders, pinned ones, a field that finds one by name, and the
// target in words.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight, FolderInput, FolderPlus, Pin, Search } from 'lucide-react'
import { type RefObject, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { isAbort } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { isRtl } from '../../lib/i18n.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { lineageOf, nameOf, parentOf, ROOT, segmentsOf } from '../../lib/paths.ts'
import { shownName } from '../../lib/shown-name.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { openPrompt } from '../../operations/prompts.ts'
import type { TransferItem, TransferKind } from '../../operations/transfer-types.ts'
import { transferProblem } from '../../operations/transfers.ts'
import { prefs } from '../../state/prefs.ts'
import { permissions } from '../../state/session.ts'
import { Chip } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FolderGlyph } from '../../ui/file-icon.tsx'
import { Spinner } from '../../ui/progress.tsx'
import styles from '../files.css?url'
import { useFoundFolders } from './find-folders.ts'
import {
  emptyTree,
  fetchSubfolders,
  rowsOf,
  type TreeRow,
  withChildren,
  withExpanded,
  withFolder,
} from './folder-tree.ts'

await loadStylesheet(styles)

/** Answers with the path of the chosen folder. */
export function TransferPrompt({ kind, items, folder, answer }: PromptProps<'transfer'>) {
  const { t } = useLingui()
  const [target, setTarget] = useState(folder)
  const [text, setText] = useState('')
  const { pinned } = useSnapshot(prefs)
  const tree = useTree(folder)
  const { found, isCurrent } = useFoundFolders(text)
  const folders = useRef<HTMLDivElement>(null)
  /** Enter was pressed in the search field: the first folder found is chosen as soon as there is one. */
  const [takesFirst, setTakesFirst] = useState(false)
  const rows: TreeRow[] =
    found?.map((path) => ({
      path,
      name: nameOf(path),
      level: 1,
      expanded: false,
      hasChildren: false,
    })) ?? rowsOf(tree.state)
  const blocked = (path: string) =>
    items.some((item) => transferProblem(kind, item, path) === 'into-itself')
  const reason = useReason(kind, items, target)

  useEffect(() => {
    if (!takesFirst || !isCurrent) return
    setTakesFirst(false)
    const path = found?.includes(target) ? target : found?.find((hit) => !blocked(hit))
    if (path === undefined) return
    setTarget(path)
    // The next Enter answers.
    folders.current?.focus()
  })

  async function makeFolder() {
    const made = await openPrompt('newFolder', { folder: target })
    if (made === null) return
    tree.add(made)
    setText('')
    setTarget(made)
  }

  const names = items.map((item) => shownName(nameOf(item.path)))
  return (
    <Dialog
      fullOnPhone
      title={
        kind === 'move' ? (
          <Plural value={items.length} one="Move # item" other="Move # items" />
        ) : (
          <Plural value={items.length} one="Copy # item" other="Copy # items" />
        )
      }
      subtitle={<bdi className="transfer__names">{names.slice(0, 20).join(', ')}</bdi>}
      className="transfer"
      onClose={() => answer(null)}
      onSubmit={() => {
        if (reason === null) answer(target)
      }}
      footer={
        <>
          {permissions().create && (
            <Button icon={FolderPlus} onClick={() => void makeFolder()}>
              <Trans>New folder</Trans>
            </Button>
          )}
          <span className="grow" />
          <Button tone="line" onClick={() => answer(null)}>
            <Trans>Cancel</Trans>
          </Button>
          <Button tone="fill" type="submit" disabled={reason ?? false}>
            {kind === 'move' ? <Trans>Move here</Trans> : <Trans>Copy here</Trans>}
          </Button>
        </>
      }
    >
      <TextField
        label={t`Find a folder`}
        hideLabel
        icon={Search}
        placeholder={t`Find a folder`}
        value={text}
        onChange={(next) => {
          setText(next)
          setTakesFirst(false)
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || text.trim() === '') return
          if (event.key === 'Enter') setTakesFirst(true)
          else if (event.key === 'ArrowDown') folders.current?.focus()
          else return
          event.preventDefault()
        }}
        type="search"
        autoComplete="off"
        spellCheck={false}
      />
      {found === null && pinned.length > 0 && (
        <fieldset className="transfer__pins" aria-label={t`Pinned folders`}>
          {pinned.map(({ path, name }) => (
            <Chip
              key={path}
              icon={Pin}
              pressed={path === target}
              disabled={blocked(path)}
              onClick={() => {
                setTarget(path)
                tree.reveal(path)
              }}
            >
              <bdi className="trunc">{shownName(name)}</bdi>
            </Chip>
          ))}
        </fieldset>
      )}
      <Tree
        box={folders}
        rows={rows}
        flat={found !== null}
        target={target}
        current={folder}
        blocked={blocked}
        loading={tree.loading}
        onChoose={setTarget}
        onToggle={tree.toggle}
        onEnter={() => {
          if (reason === null) answer(target)
        }}
      />
      {tree.error !== null && <p className="err">{messageOf(tree.error)}</p>}
      {found !== null && found.length === 0 && (
        <p className="hint">
          <Trans>No folder has this in its name.</Trans>
        </p>
      )}
      <p className="transfer__target" aria-live="polite">
        <FolderInput className="i i-sm flip" aria-hidden />
        <TargetWords path={target} />
      </p>
    </Dialog>
  )
}

/** Why the button does nothing, or null. */
function useReason(
  kind: TransferKind,
  items: readonly TransferItem[],
  target: string,
): string | null {
  const { t } = useLingui()
  const problems = items.map((item) => transferProblem(kind, item, target))
  if (problems.includes('into-itself')) return t`A folder can’t go into itself`
  if (problems.every((problem) => problem === 'already-there')) return t`Already in this folder`
  return null
}

function TargetWords({ path }: { path: string }) {
  const parts = path === ROOT ? [folderTitle(ROOT)] : segmentsOf(path).map(shownName)
  return (
    <span>
      {parts.slice(0, -1).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the way down has no other identity
        <span key={index}>
          <bdi>{part}</bdi>
          {' / '}
        </span>
      ))}
      <strong>
        <bdi>{parts.at(-1)}</bdi>
      </strong>
    </span>
  )
}

function useTree(start: string) {
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
      const folders = await fetchSubfolders(path, signal)
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

function Tree(props: TreeProps) {
  const { box, rows, flat, target, current, blocked, loading, onChoose, onToggle, onEnter } = props
  const { t } = useLingui()
  const id = useId()
  const open = useMemo(() => rows.filter((row) => !blocked(row.path)), [rows, blocked])
  const at = rows.findIndex((row) => row.path === target)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the row may have been drawn just now
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
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
      {rows.map((row, index) => {
        const off = blocked(row.path)
        const name = row.path === ROOT ? folderTitle(ROOT) : shownName(row.name)
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys
          <div
            key={row.path}
            id={`${id}-${index}`}
            role="treeitem"
            tabIndex={-1}
            aria-level={row.level}
            aria-expanded={row.hasChildren === false ? undefined : row.expanded}
            aria-selected={row.path === target}
            aria-disabled={off || undefined}
            aria-label={name}
            className="tree__row"
            style={{ paddingInlineStart: `${(row.level - 1) * 1.25 + 0.4}rem` }}
            onClick={() => {
              if (!off) onChoose(row.path)
            }}
            onDoubleClick={() => {
              if (!off) onToggle(row.path, !row.expanded)
            }}
          >
            {!flat && (
              <button
                type="button"
                tabIndex={-1}
                className={row.expanded ? 'tree__twist is-open' : 'tree__twist'}
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
            {row.path === current && (
              <small className="tree__note">
                <Trans>Current folder</Trans>
              </small>
            )}
          </div>
        )
      })}
    </div>
  )
}
