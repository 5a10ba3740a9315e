import {
  findNext,
  findPrevious,
  getSearchQuery,
  replaceAll,
  replaceNext,
  SearchQuery,
  setSearchQuery,
} from '@codemirror/search'
import { EditorView } from '@codemirror/view'
import { Trans, useLingui } from '@lingui/react/macro'
import {
  ArrowDown,
  ArrowUp,
  CaseSensitive,
  ChevronDown,
  ChevronRight,
  Regex,
  WholeWord,
  X,
} from 'lucide-react'
import { type KeyboardEvent, type Ref, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { formatNumber } from '../lib/format.ts'
import { keyLetter } from '../lib/page/keys.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { codeCommands, cursor } from './code-pane.tsx'

/** Counting stops here: the exact number of a million matches helps nobody. */
const MAX_COUNT = 5000
const MAX_COUNT_MS = 60

interface FindBarProps {
  view: EditorView
  replace: boolean
  readOnly: boolean
  /** Grows each time Find is asked for, so that the field takes the focus again. */
  asked: number
  textVersion: number
  onReplace(open: boolean): void
  onClose(): void
}

type QueryParts = Pick<SearchQuery, 'search' | 'caseSensitive' | 'regexp' | 'wholeWord' | 'replace'>

interface Count {
  /** 1-based place of the selected match, 0 when none is selected. */
  current: number
  total: number
  more: boolean
}

export function FindBar(props: FindBarProps) {
  const { view, replace, readOnly, asked, textVersion, onReplace, onClose } = props
  const { t } = useLingui()
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState(() => startQuery(view))
  const count = useCount(view, query, textVersion)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each request takes the selection anew
  useEffect(() => {
    codeCommands.showMatches(view)
    setQuery(startQuery(view))
    field.current?.focus()
    field.current?.select()
  }, [asked, view])
  useEffect(() => () => void codeCommands.hideMatches(view), [view])
  useEffect(() => view.dispatch({ effects: setSearchQuery.of(query) }), [view, query])

  function change(part: Partial<QueryParts>) {
    const { search, caseSensitive, regexp, wholeWord, replace: replacement } = query
    const next = { search, caseSensitive, regexp, wholeWord, replace: replacement, ...part }
    const changed = new SearchQuery({ ...next, literal: !next.regexp })
    setQuery(changed)
    if (part.replace === undefined) selectNearest(view, changed)
  }

  const step = (direction: 1 | -1) =>
    query.valid && (direction === 1 ? findNext : findPrevious)(view)

  function onKeyDown(event: KeyboardEvent) {
    const mod = event.ctrlKey || event.metaKey
    if (event.key === 'Escape') close()
    else if (event.key === 'F3' || (mod && keyLetter(event) === 'G')) step(event.shiftKey ? -1 : 1)
    else if (mod && keyLetter(event) === 'F') field.current?.select()
    else if (mod && keyLetter(event) === 'H') onReplace(!replace)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  function close() {
    onClose()
    view.focus()
  }

  const bad = query.search !== '' && !query.valid
  return (
    <search className="ed-find rigid line-bottom sunken" onKeyDown={onKeyDown} data-own-keys>
      {!readOnly && (
        <IconButton
          size="sm"
          className="ed-find__fold"
          icon={replace ? ChevronDown : ChevronRight}
          flipIcon={!replace}
          label={replace ? t`Hide replace` : t`Replace`}
          aria-expanded={replace}
          onClick={() => onReplace(!replace)}
        />
      )}
      <div className="ed-find__rows grow stack">
        <div className="ed-find__row row">
          <FindField ref={field} query={query} bad={bad} onChange={change} onStep={step} />
          <span className="ed-find__count num fs-sm mid" role="status">
            <CountText query={query} count={count} bad={bad} />
          </span>
          <StepButtons onStep={step} />
          <IconButton
            size="sm"
            icon={X}
            label={t`Close search`}
            shortcut={shownKeys('Escape')}
            onClick={close}
          />
        </div>
        {replace && !readOnly && (
          <ReplaceRow view={view} query={query} none={count.total === 0} onChange={change} />
        )}
      </div>
    </search>
  )
}

function useCount(view: EditorView, query: SearchQuery, textVersion: number): Count {
  const { line, column, selected } = useSnapshot(cursor)
  const [count, setCount] = useState<Count>({ current: 0, total: 0, more: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count follows text and cursor
  useEffect(
    () => setCount(countMatches(view, query)),
    [query, view, textVersion, line, column, selected],
  )
  return count
}

interface FindFieldProps {
  ref: Ref<HTMLInputElement>
  query: SearchQuery
  bad: boolean
  onChange(part: Partial<QueryParts>): void
  onStep(direction: 1 | -1): void
}

function FindField({ ref, query, bad, onChange, onStep }: FindFieldProps) {
  const { t } = useLingui()
  const ways = [
    { way: 'caseSensitive', icon: CaseSensitive, label: t`Match case` },
    { way: 'wholeWord', icon: WholeWord, label: t`Whole words` },
    { way: 'regexp', icon: Regex, label: t`Regular expression` },
  ] as const
  return (
    <span className={bad ? 'input input--bad ed-find__field' : 'input ed-find__field'}>
      <input
        ref={ref}
        type="text"
        value={query.search}
        aria-label={t`Find`}
        placeholder={t`Find`}
        aria-invalid={bad}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => onChange({ search: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
        }}
      />
      {ways.map(({ way, icon, label }) => (
        <IconButton
          key={way}
          size="sm"
          icon={icon}
          label={label}
          pressed={query[way]}
          onClick={() => onChange({ [way]: !query[way] })}
        />
      ))}
    </span>
  )
}

interface ReplaceRowProps {
  view: EditorView
  query: SearchQuery
  /** Nothing is found that could be replaced. */
  none: boolean
  onChange(part: Partial<QueryParts>): void
}

function ReplaceRow({ view, query, none, onChange }: ReplaceRowProps) {
  const { t } = useLingui()
  return (
    <div className="ed-find__row row">
      <span className="input ed-find__field">
        <input
          type="text"
          value={query.replace}
          aria-label={t`Replace with`}
          placeholder={t`Replace with`}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ replace: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') replaceNext(view)
          }}
        />
      </span>
      <Button size="sm" tone="line" disabled={none} onClick={() => replaceNext(view)}>
        <Trans>Replace</Trans>
      </Button>
      <Button size="sm" tone="line" disabled={none} onClick={() => replaceAll(view)}>
        <Trans>Replace all</Trans>
      </Button>
    </div>
  )
}

function StepButtons({ onStep }: { onStep(direction: 1 | -1): void }) {
  const { t } = useLingui()
  return (
    <>
      <IconButton
        size="sm"
        icon={ArrowUp}
        label={t`Previous match`}
        shortcut={shownKeys('Shift+F3')}
        onClick={() => onStep(-1)}
      />
      <IconButton
        size="sm"
        icon={ArrowDown}
        label={t`Next match`}
        shortcut="F3"
        onClick={() => onStep(1)}
      />
    </>
  )
}

function CountText({ query, count, bad }: { query: SearchQuery; count: Count; bad: boolean }) {
  if (bad) return <Trans>Invalid regular expression</Trans>
  if (query.search === '') return null
  if (count.total === 0) return <Trans>No matches</Trans>
  const known = formatNumber(count.total)
  const total = count.more ? `${known}+` : known
  if (count.current === 0) return <Trans>Results: {total}</Trans>
  return (
    <Trans>
      {formatNumber(count.current)} of {total}
    </Trans>
  )
}

/** The last search, or the selected words when they are on one line. */
function startQuery(view: EditorView): SearchQuery {
  const last = getSearchQuery(view.state)
  const { from, to } = view.state.selection.main
  const text = view.state.sliceDoc(from, Math.min(to, from + 200))
  const { caseSensitive, regexp, wholeWord, replace } = last
  const search = text !== '' && !text.includes('\n') && !regexp ? text : last.search
  return new SearchQuery({ search, caseSensitive, regexp, wholeWord, replace, literal: !regexp })
}

/** While typing, the first match from where the selection began. */
function selectNearest(view: EditorView, query: SearchQuery): void {
  if (query.search === '' || !query.valid) return
  const { from } = view.state.selection.main
  let hit = query.getCursor(view.state, from).next()
  if (hit.done) hit = query.getCursor(view.state).next()
  if (hit.done) return
  const { from: anchor, to: head } = hit.value
  view.dispatch({
    selection: { anchor, head },
    effects: EditorView.scrollIntoView(anchor, { y: 'nearest', yMargin: 80 }),
  })
}

function countMatches(view: EditorView, query: SearchQuery): Count {
  if (query.search === '' || !query.valid) return { current: 0, total: 0, more: false }
  const { from, to } = view.state.selection.main
  const untilMs = performance.now() + MAX_COUNT_MS
  const matches = query.getCursor(view.state)
  let total = 0
  let current = 0
  for (let next = matches.next(); !next.done; next = matches.next()) {
    total += 1
    if (next.value.from === from && next.value.to === to) current = total
    if (total >= MAX_COUNT || (total % 64 === 0 && performance.now() > untilMs)) {
      return { current, total, more: true }
    }
  }
  return { current, total, more: false }
}
