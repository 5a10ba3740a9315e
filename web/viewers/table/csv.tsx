// A table: delimiter, charset and heading guessed and to be chosen, sorted and filtered, as many rows
// as there are.

import { Trans, useLingui } from '@lingui/react/macro'
import { Funnel, TextAlignStart } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiError, isAbort } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { encodingGroupNames } from '../../editor/code/encoding-groups.ts'
import { formatNumber } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { type Delimiter, delimiters } from '../../text/csv.ts'
import { encodingGroups, encodingLabel } from '../../text/encodings.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import { editsElsewhere } from '../frame/kinds.ts'
import partsStyles from '../frame/parts.css?url'
import type { ViewerProps } from '../frame/source.ts'
import { Busy, Message } from '../frame/tools.tsx'
import { CsvClient, type CsvFacts, type CsvSort } from './csv-client.ts'
import { CsvGrid } from './csv-grid.tsx'

await loadStylesheet(partsStyles)

const MAX_CSV_BYTES = 256 * 1024 * 1024
const FILTER_PAUSE_MS = 180

export function CsvViewer({ source, entry, openAs, setFacts }: ViewerProps) {
  const { t, i18n } = useLingui()
  const client = useRef<CsvClient>(null)
  const [facts, setTable] = useState<CsvFacts | null>(null)
  const [rowCount, setRowCount] = useState(0)
  const [sort, setSort] = useState<CsvSort | null>(null)
  const [filter, setFilter] = useState('')
  const [problem, setProblem] = useState<{ error: unknown } | null>(null)
  const [busy, setBusy] = useState(false)
  const [, setRowsVersion] = useState(0)
  const filterTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { path, modified, size } = entry

  // biome-ignore lint/correctness/useExhaustiveDependencies: the same version is not read twice
  useEffect(() => {
    const abort = new AbortController()
    const made = new CsvClient(() => setRowsVersion((version) => version + 1))
    client.current = made
    setTable(null)
    setProblem(null)
    showAll()
    source
      .readAll(entry, MAX_CSV_BYTES, abort.signal)
      .then((data) => made.open({ data }))
      .then((found) => {
        if (!abort.signal.aborted) take(found)
      })
      .catch((error) => {
        if (!isAbort(error) && !abort.signal.aborted) setProblem({ error })
      })
    return () => {
      abort.abort()
      clearTimeout(filterTimer.current)
      made.close()
      client.current = null
    }
  }, [source, path, modified, size])

  function take(found: CsvFacts) {
    setTable(found)
    setRowCount(found.rowCount)
    const [rows, columns] = [formatNumber(found.rowCount), formatNumber(found.columnCount)]
    setFacts(t`${rows} rows × ${columns} columns`)
  }

  /** As the worker begins with a table; what is chosen from then on stays. */
  function showAll() {
    clearTimeout(filterTimer.current)
    setSort(null)
    setFilter('')
  }

  async function reopen(how: { encoding?: string; delimiter?: Delimiter; header?: boolean }) {
    if (client.current === null || facts === null) return
    const { encoding, delimiter, header } = facts
    // The control shows the choice at once, the rows when they are read.
    setTable({ ...facts, ...how })
    showAll()
    setBusy(true)
    try {
      take(await client.current.open({ encoding, delimiter, header, ...how }))
    } catch (error) {
      setProblem({ error })
    } finally {
      setBusy(false)
    }
  }

  async function arrange(nextFilter: string, nextSort: CsvSort | null) {
    // Of a text that waits to be filtered by: it is in `nextFilter`, and its order is out of date.
    clearTimeout(filterTimer.current)
    setSort(nextSort)
    setBusy(true)
    try {
      const count = await client.current?.arrange(nextFilter.trim(), nextSort, i18n.locale)
      if (count !== undefined) setRowCount(count)
    } catch (error) {
      setProblem({ error })
    } finally {
      setBusy(false)
    }
  }

  const asText = (
    <Button size="sm" icon={TextAlignStart} onClick={() => openAs('text')}>
      <Trans>Open as text</Trans>
    </Button>
  )
  if (problem !== null) {
    const { error } = problem
    return (
      <Message
        title={t`Couldn’t show this table`}
        {...{ source, entry, error }}
        actions={error instanceof ApiError && error.code !== 'too_large' ? null : asText}
      >
        {messageOf(error)}
      </Message>
    )
  }
  if (facts === null) return <Busy />
  if (facts.widths.length === 0) {
    return <Message title={t`This table is empty`} source={source} entry={entry} actions={asText} />
  }
  const shown = formatNumber(rowCount)
  const all = formatNumber(facts.rowCount)
  const names: Record<Delimiter, string> = {
    ',': t`Comma`,
    ';': t`Semicolon`,
    ',;': t`Comma and semicolon`,
    '\t': t`Tab`,
    '|': t`Vertical bar`,
    ':': t`Colon`,
    ' ': t`Space`,
  }
  return (
    <div className="vx-page" data-gestures="own" aria-busy={busy}>
      <div className="vx-bar" role="toolbar" aria-label={t`Table`}>
        <span className="input vx-filter">
          <Funnel className="i i-sm" aria-hidden />
          <input
            type="text"
            value={filter}
            aria-label={t`Filter rows`}
            placeholder={t`Filter rows`}
            spellCheck={false}
            onChange={(event) => {
              const text = event.currentTarget.value
              setFilter(text)
              clearTimeout(filterTimer.current)
              filterTimer.current = setTimeout(() => void arrange(text, sort), FILTER_PAUSE_MS)
            }}
          />
        </span>
        <span
          className={rowCount === facts.rowCount ? 'vx-note vx-note--plain num' : 'vx-note num'}
          role="status"
        >
          {rowCount === facts.rowCount ? (
            <Trans>{all} rows</Trans>
          ) : (
            <Trans>
              {shown} of {all} rows
            </Trans>
          )}
        </span>
        <span className="grow" />
        <Checkbox
          label={<Trans>Heading</Trans>}
          checked={facts.header}
          onChange={(header) => void reopen({ header })}
        />
        <select
          className="vx-select"
          aria-label={t`Delimiter`}
          value={facts.delimiter}
          onChange={(event) => void reopen({ delimiter: event.currentTarget.value as Delimiter })}
        >
          {delimiters.map((delimiter) => (
            <option key={delimiter} value={delimiter}>
              {names[delimiter]}
            </option>
          ))}
        </select>
        <select
          className="vx-select"
          aria-label={t`Encoding`}
          value={facts.encoding}
          onChange={(event) => void reopen({ encoding: event.currentTarget.value })}
        >
          {encodingGroups.map(({ group, names: list }) => (
            <optgroup key={group} label={i18n._(encodingGroupNames[group])}>
              {list.map((name) => (
                <option key={name} value={name}>
                  {encodingLabel({ name, bom: false })}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
        {!editsElsewhere(source, entry) && asText}
      </div>
      {facts.columnCount > facts.widths.length && (
        <p className="vw-note" role="note">
          <Trans>The sheet goes on. Download the file to see all of it.</Trans>
        </p>
      )}
      <CsvGrid
        label={entry.name}
        facts={facts}
        rowCount={rowCount}
        sort={sort}
        rowAt={(at) => client.current?.row(at)}
        onSort={(next) => void arrange(filter, next)}
      />
    </div>
  )
}
