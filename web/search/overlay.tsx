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
  Search,
  X,
} from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { boot } from '../lib/boot.ts'
import { formatNumber } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { goHref } from '../lib/page/navigate.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useModal } from '../lib/page/use-modal.ts'
import { filesHref, joinPath, ROOT } from '../lib/paths.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Chip, Kbd } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { Combobox, listStep } from '../ui/combobox.tsx'
import { Spinner } from '../ui/progress.tsx'
import { Nothing, Place } from './around.tsx'
import styles from './overlay.css?url'
import { type TypeFilter, takeTypedFilter, termsOf, toQuery } from './query.ts'
import { type ResultsHandle, SearchResults } from './results.tsx'
import { createSearchRun, type SearchState } from './run-search.ts'
import { showInFolder } from './show-in-folder.ts'

await loadStylesheet(styles)

const TYPING_PAUSE_MS = 250

export function SearchOverlay({
  base: openFolder,
  query: firstText,
  answer,
}: PromptProps<'search'>) {
  const { t } = useLingui()
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const results = useRef<ResultsHandle>(null)
  const [base, setBase] = useState(openFolder)
  const [text, setText] = useState(firstText)
  const [filter, setFilter] = useState<TypeFilter | null>(null)
  const [matchCase, setMatchCase] = useState(false)
  const [found, setFound] = useState<SearchState | null>(null)
  const [active, setActive] = useState(-1)
  const [run] = useState(() => createSearchRun(setFound))
  const query = toQuery({ text, filter, matchCase })
  const current = found !== null && found.query === query && found.base === base ? found : null
  const hits = current?.hits ?? []

  useModal(dialog, { focus: () => input.current?.focus(), dismiss: () => answer(null) })
  useEffect(() => run.stop, [run])

  // Typing ends the search before; a pause starts the next.
  useEffect(() => {
    run.stop()
    setFound(null)
    setActive(-1)
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

  function changeText(value: string) {
    const typed = takeTypedFilter(value)
    if (typed !== null) setFilter(typed.filter)
    setText(typed?.rest ?? value)
  }

  function pathOf(index: number): string | null {
    const hit = hits[index]
    return hit === undefined ? null : joinPath(base, hit.path)
  }

  async function open(index: number, inFolder: boolean) {
    const hit = hits[index]
    const vpath = pathOf(index)
    if (hit === undefined || vpath === null) return
    if (inFolder) {
      answer(null)
      await showInFolder(vpath)
    } else {
      answer(null)
      await goHref(filesHref(boot.BaseURL, vpath, hit.dir))
    }
  }

  function move(to: number) {
    if (hits.length === 0) return
    const next = Math.max(0, Math.min(hits.length - 1, to))
    setActive(next)
    results.current?.scrollTo(next)
  }

  function onEnter(inFolder: boolean) {
    if (active >= 0) void open(active, inFolder)
    else if (current === null && query !== '') run.start(base, query)
    else move(0)
  }

  function onKeyDown(event: KeyboardEvent) {
    event.stopPropagation()
    if (event.nativeEvent.isComposing) return
    const inText = event.target === input.current
    if (event.key === 'Escape') {
      event.preventDefault()
      answer(null)
      return
    }
    if (!inText) return
    if (event.key === 'Backspace' && text === '' && filter !== null) setFilter(null)
    const step = listStep(event)
    if (step !== undefined) {
      event.preventDefault()
      if (event.key === 'ArrowUp' && active <= 0) setActive(-1)
      else move(active + step)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      onEnter(event.ctrlKey || event.metaKey)
    }
  }

  const typeChip = (value: TypeFilter | null, label: string, icon?: LucideIcon) => (
    <Chip
      pressed={filter === value}
      icon={icon}
      onClick={() => {
        setFilter(value)
        input.current?.focus()
      }}
    >
      {label}
    </Chip>
  )

  return (
    <dialog
      ref={dialog}
      className="sx"
      aria-label={t`Search`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.target === dialog.current) answer(null)
      }}
    >
      <div className="sx__box">
        <div className="sx__query">
          <Search className="i sx__lens" aria-hidden />
          {filter !== null && (
            <span className="badge badge--accent mono" dir="ltr">
              type:{filter}
            </span>
          )}
          <Combobox
            ref={input}
            className="sx__input"
            dir="auto"
            label={t`Search files and folders`}
            value={text}
            onChange={changeText}
            list={`${id}-list`}
            active={active}
            expanded={hits.length > 0}
            aria-autocomplete="list"
            autoCapitalize="none"
            enterKeyHint="search"
          />
          {running && <Spinner />}
          {current !== null && (
            <span className="sx__count dim num">
              <Plural value={hits.length} one="# result" other="# results" />
            </span>
          )}
          <IconButton
            size="sm"
            icon={X}
            label={text === '' ? t`Close` : t`Clear`}
            onClick={() => {
              if (text === '') answer(null)
              setText('')
              input.current?.focus()
            }}
          />
        </div>
        <div className="sx__filters">
          {typeChip(null, t`All`)}
          {typeChip('image', t`Images`, Image)}
          {typeChip('audio', t`Music`, Music)}
          {typeChip('video', t`Video`, Clapperboard)}
          {typeChip('pdf', 'PDF', FileText)}
          <span className="vr" aria-hidden />
          <Chip
            pressed={matchCase}
            icon={CaseSensitive}
            onClick={() => {
              setMatchCase(!matchCase)
              input.current?.focus()
            }}
          >
            <Trans>Match case</Trans>
          </Chip>
          <Place base={base} openFolder={openFolder} onChange={setBase} />
        </div>
        {current !== null && hits.length > 0 ? (
          <SearchResults
            ref={results}
            id={id}
            base={base}
            hits={hits}
            terms={termsOf(text)}
            matchCase={matchCase}
            active={active}
            onActive={setActive}
            onClose={() => answer(null)}
          />
        ) : (
          <div className="sx__none">
            <Nothing
              state={current}
              query={query}
              base={base}
              onRetry={() => run.start(base, query)}
              onEverywhere={() => setBase(ROOT)}
            />
          </div>
        )}
        <footer className="sx__foot">
          <span>
            <Kbd keys="↑ ↓" /> <Trans>Move</Trans>
          </span>
          <span>
            <Kbd keys="↵" /> <Trans>Open</Trans>
          </span>
          <span>
            <Kbd keys="Ctrl ↵" /> <Trans>Show in folder</Trans>
          </span>
          <span className="grow" />
          <span>
            <Kbd keys="Esc" /> <Trans>Close</Trans>
          </span>
        </footer>
      </div>
    </dialog>
  )
}
