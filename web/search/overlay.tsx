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
import { SearchOutcome } from '../layout/search-outcome.tsx'
import { formatNumber } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { goHref } from '../lib/page/navigate.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useModal } from '../lib/page/use-modal.ts'
import { usePressBeside } from '../lib/page/use-press-beside.ts'
import { filesHref, joinPath, ROOT, searchPath } from '../lib/paths.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import {
  fromQuery,
  type TypeFilter,
  takeTypedFilter,
  termsOf,
  toQuery,
} from '../operations/search/query.ts'
import { createSearchRun, type SearchState } from '../operations/search/run-search.ts'
import { showInFolder } from '../operations/search/show-in-folder.ts'
import { Chip, Kbd } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { Combobox, listStep } from '../ui/combobox.tsx'
import { Spinner } from '../ui/progress.tsx'
import { EnterKey } from './enter-key.tsx'
import styles from './overlay.css?url'
import { Place } from './place.tsx'
import { type ResultsHandle, SearchResults } from './results.tsx'

await loadStylesheet(styles)

const TYPING_PAUSE_MS = 250

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

  function showAll() {
    if (search.query === '') return
    close()
    void goHref(filesHref(searchPath(search.base, search.query), true))
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
    else if (event.key === 'Enter' && event.shiftKey) showAll()
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
        <Foot onShowAll={hits.length > 0 ? showAll : undefined} />
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
  const { base, text, matchCase, query, current, hits, active } = search
  if (current !== null && hits.length > 0) {
    return (
      <SearchResults
        {...{ ref, id, base, hits, matchCase, active, onClose }}
        terms={termsOf(text)}
        onActive={search.setActive}
      />
    )
  }
  return (
    <div className="sx__none scrolls">
      <SearchOutcome
        {...{ state: current, query, base }}
        onRetry={search.start}
        onEverywhere={() => search.setBase(ROOT)}
      />
    </div>
  )
}

type Search = ReturnType<typeof useSearch>

/** What is searched for and where, and what was found for exactly that. */
function useSearch(firstBase: string, firstQuery: string) {
  const { t } = useLingui()
  const [base, setBase] = useState(firstBase)
  const [first] = useState(() => fromQuery(firstQuery))
  const [text, setText] = useState(first.text)
  const [filter, setFilter] = useState(first.filter)
  const [matchCase, setMatchCase] = useState(first.matchCase)
  const [found, setFound] = useState<SearchState | null>(null)
  const [activeHit, setActiveHit] = useState<SearchHit | null>(null)
  const [run] = useState(() => createSearchRun(setFound))
  const query = toQuery({ text, filter, matchCase })
  const current = found !== null && found.query === query && found.base === base ? found : null
  const hits = current?.hits ?? []
  // Better ones may come before it.
  const active = activeHit === null ? -1 : hits.indexOf(activeHit)
  const setActive = (index: number) => setActiveHit(hits[index] ?? null)
  const start = () => run.start(base, query)
  useEffect(() => run.stop, [run])

  // Typing ends the search before; a pause starts the next.
  useEffect(() => {
    run.stop()
    setFound(null)
    setActiveHit(null)
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

function Foot({ onShowAll }: { onShowAll: (() => void) | undefined }) {
  return (
    <footer className="sx__foot row fs-sm dim line-top">
      <span className="sx__key">
        <Kbd keys="↑ ↓" /> <Trans>Move</Trans>
      </span>
      <span className="sx__key">
        <EnterKey /> <Trans>Open</Trans>
      </span>
      <span className="sx__key">
        <EnterKey held={shownKeys('Mod+↵').split(' ')[0]} /> <Trans>Show in folder</Trans>
      </span>
      <span className="grow" />
      {onShowAll && (
        <button type="button" className="sx__all row strong" onClick={onShowAll}>
          <Trans>Show all results</Trans>
          <span className="sx__key">
            <EnterKey held={shownKeys('Shift+↵').split(' ')[0]} />
          </span>
        </button>
      )}
    </footer>
  )
}
