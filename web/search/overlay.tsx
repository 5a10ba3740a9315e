// The search: results stream in while one types, and everything works from the keyboard. The focus
// stays in the text; the active result is told to readers by aria-activedescendant.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import {
  CaseSensitive,
  Clapperboard,
  FileText,
  Image,
  type LucideIcon,
  Music,
  Search as SearchIcon,
  X,
} from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import type { SearchHit } from '../../src/api-types.ts'
import { formatNumber } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { goHref } from '../lib/page/navigate.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useModal } from '../lib/page/use-modal.ts'
import { usePressBeside } from '../lib/page/use-press-beside.ts'
import { filesHref, joinPath, ROOT } from '../lib/paths.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Chip, Kbd } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { Combobox, listStep } from '../ui/combobox.tsx'
import { Spinner } from '../ui/progress.tsx'
import { Nothing, Place } from './around.tsx'
import { Chosen } from './chosen.tsx'
import { EnterKey } from './enter-key.tsx'
import styles from './overlay.css?url'
import { type TypeFilter, takeTypedFilter, termsOf, toQuery } from './query.ts'
import { type ResultsHandle, SearchResults } from './results.tsx'
import { createSearchRun, type SearchState } from './run-search.ts'
import { showInFolder } from './show-in-folder.ts'

await loadStylesheet(styles)

const TYPING_PAUSE_MS = 250
const NONE: readonly SearchHit[] = []

export function SearchOverlay({ folder, below, query, answer }: PromptProps<'search'>) {
  const { t } = useLingui()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const results = useRef<ResultsHandle>(null)
  const search = useSearch(below ?? folder, query)
  const { text, current, hits, active, setActive } = search
  const close = () => answer(null)

  useModal(dialog, { focus: () => input.current?.focus(), dismiss: close })
  const beside = usePressBeside(close)

  async function open(index: number, inFolder: boolean) {
    const hit = hits[index]
    if (hit === undefined) return
    const vpath = joinPath(search.base, hit.path)
    close()
    if (inFolder) await showInFolder(vpath)
    else await goHref(filesHref(vpath, hit.dir))
  }

  function move(to: number) {
    if (hits.length === 0) return
    const next = Math.max(0, Math.min(hits.length - 1, to))
    setActive(next)
    results.current?.scrollTo(next)
  }

  function onEnter(inFolder: boolean) {
    if (active >= 0) void open(active, inFolder)
    else if (current === null && search.query !== '') search.start()
    else move(0)
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    const step = listStep(event)
    if (event.key === 'Escape') close()
    else if (event.target !== input.current) return
    else if (event.key === 'Backspace' && text === '') return search.setFilter(null)
    else if (event.key === 'ArrowUp' && active <= 0) setActive(-1)
    else if (step !== undefined) move(active + step)
    else if (event.key === 'Enter' && event.shiftKey) search.toggle(hits[active])
    else if (event.key === 'Enter') onEnter(event.ctrlKey || event.metaKey)
    else return
    event.preventDefault()
  }

  return (
    <dialog ref={dialog} className="sx" aria-label={t`Search`} onKeyDown={onKeyDown} {...beside}>
      <div className="sx__box">
        <QueryLine id={id} input={input} search={search} onClose={close} />
        <Filters input={input} search={search} openFolder={folder} />
        <Found ref={results} id={id} search={search} onClose={close} />
        {search.chosen.length > 0 ? (
          <Chosen
            base={search.base}
            hits={search.chosen}
            onClear={() => {
              search.clear()
              input.current?.focus()
            }}
            onDone={() => {
              search.start()
              input.current?.focus()
            }}
          />
        ) : (
          <Foot />
        )}
      </div>
    </dialog>
  )
}

interface FoundProps {
  ref: RefObject<ResultsHandle | null>
  id: string
  search: Search
  onClose(): void
}

function Found({ ref, id, search, onClose }: FoundProps) {
  const { base, text, matchCase, query, current, hits, active, chosen } = search
  if (current !== null && hits.length > 0) {
    return (
      <SearchResults
        {...{ ref, id, base, hits, matchCase, active, chosen, onClose }}
        terms={termsOf(text)}
        onActive={search.setActive}
        onChoose={search.toggle}
      />
    )
  }
  return (
    <div className="sx__none scrolls">
      <Nothing
        {...{ state: current, query, base }}
        onRetry={search.start}
        onEverywhere={() => search.setBase(ROOT)}
      />
    </div>
  )
}

type Search = ReturnType<typeof useSearch>

/** What is searched for and where, and what was found for exactly that. */
function useSearch(firstBase: string, firstText: string) {
  const { t } = useLingui()
  const [base, setBase] = useState(firstBase)
  const [text, setText] = useState(firstText)
  const [filter, setFilter] = useState<TypeFilter | null>(null)
  const [matchCase, setMatchCase] = useState(false)
  const [found, setFound] = useState<SearchState | null>(null)
  const [activeHit, setActiveHit] = useState<SearchHit | null>(null)
  const [chosenPaths, setChosenPaths] = useState<ReadonlySet<string>>(new Set())
  const [run] = useState(() => createSearchRun(setFound))
  const query = toQuery({ text, filter, matchCase })
  const current = found !== null && found.query === query && found.base === base ? found : null
  const hits = current?.hits ?? []
  // Better ones may come before it.
  const active = activeHit === null ? -1 : hits.indexOf(activeHit)
  const setActive = (index: number) => setActiveHit(hits[index] ?? null)
  const start = () => run.start(base, query)
  const chosen = chosenPaths.size === 0 ? NONE : hits.filter(({ path }) => chosenPaths.has(path))
  const clear = () => setChosenPaths(new Set())
  const toggle = (hit: SearchHit | undefined) => {
    if (hit === undefined) return
    const paths = new Set(chosenPaths)
    if (!paths.delete(hit.path)) paths.add(hit.path)
    setChosenPaths(paths)
  }

  useEffect(() => run.stop, [run])

  // Typing ends the search before; a pause starts the next.
  useEffect(() => {
    run.stop()
    setFound(null)
    setActiveHit(null)
    setChosenPaths(new Set())
    if (query === '') return
    const timer = setTimeout(() => run.start(base, query), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [run, base, query])

  const running = current?.running === true
  const count = hits.length
  useEffect(() => {
    if (current === null || running || current.error !== null) return
    announce(count === 0 ? t`Nothing found` : t`Results: ${formatNumber(count)}`)
  }, [current, running, count, t])

  function type(value: string) {
    const typed = takeTypedFilter(value)
    if (typed !== null) setFilter(typed.filter)
    setText(typed?.rest ?? value)
  }

  return {
    ...{ base, text, filter, matchCase, query, current, hits, running, active },
    ...{ setBase, setText, setFilter, setMatchCase, setActive, type, start },
    ...{ chosen, toggle, clear },
  }
}

interface QueryLineProps {
  id: string
  input: RefObject<HTMLInputElement | null>
  search: Search
  onClose(): void
}

function QueryLine({ id, input, search, onClose }: QueryLineProps) {
  const { t } = useLingui()
  const { text, filter, current, hits } = search
  return (
    <div className="sx__query in-box row line-bottom">
      <SearchIcon className="i sx__lens" aria-hidden />
      {filter !== null && (
        <span className="badge tone-accent mono" dir="ltr">
          type:{filter}
        </span>
      )}
      <Combobox
        ref={input}
        className="sx__input"
        dir="auto"
        label={t`Search files and folders`}
        value={text}
        onChange={search.type}
        list={`${id}-list`}
        active={search.active}
        expanded={hits.length > 0}
        aria-autocomplete="list"
        autoCapitalize="none"
        enterKeyHint="search"
      />
      {search.running && <Spinner />}
      {current !== null && (
        <span className="dim num nowrap fs-md">
          <Plural value={hits.length} one="# result" other="# results" />
        </span>
      )}
      <IconButton
        size="sm"
        icon={X}
        label={text === '' ? t`Close` : t`Clear`}
        onClick={() => {
          if (text === '') onClose()
          search.setText('')
          input.current?.focus()
        }}
      />
    </div>
  )
}

interface FiltersProps {
  input: RefObject<HTMLInputElement | null>
  search: Search
  openFolder: string
}

function Filters({ input, search, openFolder }: FiltersProps) {
  const { t } = useLingui()
  const typeChip = (value: TypeFilter | null, label: string, icon?: LucideIcon) => (
    <Chip
      pressed={search.filter === value}
      icon={icon}
      onClick={() => {
        search.setFilter(value)
        input.current?.focus()
      }}
    >
      {label}
    </Chip>
  )
  return (
    <div className="sx__filters row">
      {typeChip(null, t`All`)}
      {typeChip('image', t`Pictures`, Image)}
      {typeChip('audio', t`Music`, Music)}
      {typeChip('video', t`Video`, Clapperboard)}
      {typeChip('pdf', 'PDF', FileText)}
      <span className="vr not-phone" aria-hidden />
      <Chip
        pressed={search.matchCase}
        icon={CaseSensitive}
        onClick={() => {
          search.setMatchCase(!search.matchCase)
          input.current?.focus()
        }}
      >
        <Trans>Match case</Trans>
      </Chip>
      <Place base={search.base} openFolder={openFolder} onChange={search.setBase} />
    </div>
  )
}

function Foot() {
  return (
    <footer className="sx__foot row not-phone fs-sm dim line-top">
      <span>
        <Kbd keys="↑ ↓" /> <Trans>Move</Trans>
      </span>
      <span>
        <EnterKey /> <Trans>Open</Trans>
      </span>
      <span>
        <EnterKey held={shownKeys('Mod+↵').split(' ')[0]} /> <Trans>Show in folder</Trans>
      </span>
      <span>
        <EnterKey held={shownKeys('Shift+↵').split(' ')[0]} /> <Trans>Select</Trans>
      </span>
      <span className="grow" />
      <span>
        <Kbd keys={shownKeys('Escape')} /> <Trans>Close</Trans>
      </span>
    </footer>
  )
}
