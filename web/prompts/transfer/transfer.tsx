// Where to move or copy to, or which folder to use: a tree of folders, pinned ones, a field that finds
// one by name, and the target in words.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { FolderInput, FolderPlus, Pin, Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { messageOf } from '../../api/error-text.ts'
import { search } from '../../api/search.ts'
import { formatSeries, isolate } from '../../lib/format.ts'
import { onDemandAtOnce } from '../../lib/page/on-demand.tsx'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { joinPath, nameOf, ROOT, segmentsOf, shownName } from '../../lib/paths.ts'
import { notHere } from '../../operations/commands/types.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import type { PromptKinds, PromptProps } from '../../operations/prompt-kinds.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { transferProblem } from '../../operations/transfer-problem.ts'
import type { TransferItem, TransferKind } from '../../operations/transfer-types.ts'
import { rowsOf, type TreeRow } from '../../state/folder-tree.ts'
import { prefs } from '../../state/prefs.ts'
import { abilitiesIn, rightsTurn } from '../../state/rights.ts'
import { Chip } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import styles from '../files.css?url'
import { Tree, useTree } from './tree.tsx'

await loadStylesheet(styles)

const NameEncoding = onDemandAtOnce(async () => (await import('./name-encoding.tsx')).NameEncoding)

type Kind = PromptKinds['transfer']['props']['kind']

const isTransfer = (kind: Kind): kind is TransferKind => kind === 'copy' || kind === 'move'

/** The folder that is chosen so far, and the ways to another one. */
function useTarget({ kind, items, folder }: PromptKinds['transfer']['props']) {
  const [target, setTarget] = useState(folder)
  const [text, setText] = useState('')
  const tree = useTree(folder)
  const folders = useRef<HTMLDivElement>(null)
  const blocked = (path: string) =>
    isTransfer(kind) && items.some((item) => transferProblem(kind, item, path) === 'into-itself')
  const finder = useFinder(text, (found) => {
    const path = found.includes(target) ? target : found.find((hit) => !blocked(hit))
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
  return { target, setTarget, text, setText, tree, folders, blocked, finder, makeFolder }
}

export function TransferPrompt({ answer, ...asked }: PromptProps<'transfer'>) {
  const { kind, items, folder, onEncoding } = asked
  const choice = useTarget(asked)
  const { target, setTarget, text, setText, tree, folders, blocked, finder } = choice
  const { found } = finder
  const reason = useReason(kind, items, target)

  const submit = () => {
    if (reason === null) answer(target)
  }

  const names = items.map((item) => shownName(nameOf(item.path)))
  return (
    <Dialog
      fullOnPhone
      title={<Heading kind={kind} items={items} />}
      subtitle={
        names.length > 0 && (
          <span className="transfer__names trunc">
            {formatSeries(names.slice(0, 20).map(isolate))}
          </span>
        )
      }
      className="transfer"
      onClose={() => answer(null)}
      onSubmit={submit}
      lead={
        <>
          {abilitiesIn(target).create && (
            <Button icon={FolderPlus} onClick={() => choice.makeFolder()}>
              <Trans>New folder</Trans>
            </Button>
          )}
          <span className="grow" />
        </>
      }
      answers={
        <Button tone="fill" type="submit" disabled={reason ?? false}>
          {kind === 'choose' && <Trans>Choose folder</Trans>}
          {kind === 'move' && <Trans>Move here</Trans>}
          {kind === 'copy' && <Trans>Copy here</Trans>}
          {kind === 'extract' && <Trans>Extract here</Trans>}
        </Button>
      }
    >
      <FindField
        text={text}
        onChange={setText}
        finder={finder}
        onDown={() => folders.current?.focus()}
      />
      {found === null && (
        <Pins
          target={target}
          blocked={blocked}
          onChoose={(path) => {
            setTarget(path)
            tree.reveal(path)
          }}
        />
      )}
      <Tree
        box={folders}
        rows={found === null ? rowsOf(tree.state) : rowsOfFound(found)}
        flat={found !== null}
        target={target}
        current={isTransfer(kind) ? folder : ''}
        blocked={blocked}
        loading={tree.loading}
        onChoose={setTarget}
        onToggle={tree.toggle}
        onEnter={submit}
      />
      <Notes error={tree.error} found={found} />
      <p className="transfer__target fs-md mid" aria-live="polite">
        <FolderInput className="i i-sm flip" aria-hidden />
        <TargetWords path={target} />
      </p>
      {onEncoding && <NameEncoding onChange={onEncoding} />}
    </Dialog>
  )
}

function rowsOfFound(found: readonly string[]): TreeRow[] {
  return found.map((path, i) => ({
    ...{ path, name: shownName(nameOf(path)), level: 1, expanded: false, hasChildren: false },
    ...{ position: i + 1, siblings: found.length },
  }))
}

function Notes({ error, found }: { error: unknown; found: readonly string[] | null }) {
  return (
    <>
      {error !== null && <p className="err">{messageOf(error)}</p>}
      {found?.length === 0 && (
        <p className="hint">
          <Trans>No matching folders</Trans>
        </p>
      )}
    </>
  )
}

function Heading({ kind, items }: { kind: Kind; items: readonly TransferItem[] }) {
  if (kind === 'choose') return <Trans>Choose folder</Trans>
  if (kind === 'extract') return <Trans>Extract</Trans>
  return kind === 'move' ? (
    <Plural value={items.length} one="Move # item" other="Move # items" />
  ) : (
    <Plural value={items.length} one="Copy # item" other="Copy # items" />
  )
}

interface PinsProps {
  target: string
  blocked(path: string): boolean
  onChoose(path: string): void
}

function Pins({ target, blocked, onChoose }: PinsProps) {
  const { t } = useLingui()
  const { pinned } = useSnapshot(prefs)
  if (pinned.length === 0) return null
  return (
    <fieldset className="transfer__pins wraps" aria-label={t`Pinned folders`}>
      {pinned.map(({ path, name }) => (
        <Chip
          key={path}
          icon={Pin}
          pressed={path === target}
          disabled={blocked(path)}
          onClick={() => onChoose(path)}
        >
          <bdi className="trunc">{shownName(name)}</bdi>
        </Chip>
      ))}
    </fieldset>
  )
}

/** Why the button does nothing, or null. */
function useReason(kind: Kind, items: readonly TransferItem[], target: string): string | null {
  const { t } = useLingui()
  useSnapshot(rightsTurn)
  if (kind === 'choose') return null
  if (!abilitiesIn(target).takes[kind === 'move' ? 'move' : 'copy']) return notHere()
  if (!isTransfer(kind)) return null
  const problems = items.map((item) => transferProblem(kind, item, target))
  if (problems.includes('into-itself')) return t`A folder can’t be placed inside itself`
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

const MAX_FOUND = 100
const TYPING_PAUSE_MS = 200

/**
 * Folders whose name contains the text, null while nothing is searched for, and whether they are
 * those of this text already.
 */
function useFoundFolders(text: string): { found: string[] | null; isCurrent: boolean } {
  const [found, setFound] = useState<{ text: string; paths: string[] } | null>(null)
  const wanted = text.trim()
  useEffect(() => {
    if (wanted === '') return
    const controller = new AbortController()
    const timer = setTimeout(() => void look(), TYPING_PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }

    async function look() {
      const paths: string[] = []
      try {
        // Quotes keep a name with spaces together.
        for await (const hits of search(ROOT, `"${wanted}"`, controller.signal)) {
          for (const hit of hits) if (hit.dir) paths.push(joinPath(ROOT, hit.path))
          setFound({ text: wanted, paths: paths.slice(0, MAX_FOUND) })
          if (paths.length >= MAX_FOUND) break
        }
        if (!controller.signal.aborted) setFound({ text: wanted, paths: paths.slice(0, MAX_FOUND) })
      } catch {
        // The tree still works without the search.
      }
    }
  }, [wanted])
  if (wanted === '') return { found: null, isCurrent: false }
  return { found: found?.paths ?? [], isCurrent: found?.text === wanted }
}

/** Folders by name. Enter in the field takes the first as soon as there is one. */
function useFinder(text: string, onFirst: (found: readonly string[]) => void) {
  const { found, isCurrent } = useFoundFolders(text)
  const [takesFirst, setTakesFirst] = useState(false)
  useEffect(() => {
    if (!takesFirst || !isCurrent) return
    setTakesFirst(false)
    onFirst(found ?? [])
  })
  return {
    found,
    takeFirst: () => setTakesFirst(true),
    forget: () => setTakesFirst(false),
  }
}

interface FindFieldProps {
  text: string
  onChange(text: string): void
  finder: ReturnType<typeof useFinder>
  onDown(): void
}

function FindField({ text, onChange, finder, onDown }: FindFieldProps) {
  const { t } = useLingui()
  return (
    <TextField
      label={t`Find a folder`}
      hideLabel
      icon={Search}
      placeholder={t`Find a folder`}
      value={text}
      onChange={(next) => {
        onChange(next)
        finder.forget()
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || text.trim() === '') return
        if (event.key === 'Enter') finder.takeFirst()
        else if (event.key === 'ArrowDown') onDown()
        else return
        event.preventDefault()
      }}
      type="search"
      autoComplete="off"
      spellCheck={false}
    />
  )
}
