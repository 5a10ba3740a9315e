// A table: delimiter, charset and heading guessed and to be chosen, sorted and filtered, as many rows
// as there are.

import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown, Funnel } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import type { Read } from '../../lib/page/use-read.ts'
import { type Delimiter, delimiters } from '../../text/csv.ts'
import { Checkbox } from '../../ui/toggle.tsx'
import { editsElsewhere } from '../frame/kinds.ts'
import partsStyles from '../frame/parts.css?url'
import type { ViewerProps } from '../frame/source.ts'
import { AsText, Message, Unready } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { EncodingSelect } from '../text/encoding-select.tsx'
import { CsvClient, type CsvFacts, type CsvSort } from './csv-client.ts'
import { CsvGrid } from './csv-grid.tsx'

await loadStylesheet(partsStyles)

const MAX_CSV_BYTES = 256 * 1024 * 1024
const FILTER_PAUSE_MS = 180

interface OpenTable {
  client: CsvClient
  facts: CsvFacts
}

export function CsvViewer(props: ViewerProps) {
  const { source, entry } = props
  const [, setRowsVersion] = useState(0)
  const read = useFile(source, entry, async (signal): Promise<OpenTable> => {
    const client = new CsvClient(() => setRowsVersion((version) => version + 1))
    signal.addEventListener('abort', () => client.close())
    const data = await source.readAll(entry, MAX_CSV_BYTES, signal)
    return { client, facts: await client.open({ data }) }
  })
  if (read.state === 'ready') return <Table {...props} opened={read.value} />
  return <NoTable {...props} read={read} />
}

function NoTable({ source, entry, openAs, read }: ViewerProps & { read: Read<unknown> }) {
  const { t } = useLingui()
  const actions = <AsText openAs={openAs} />
  return <Unready title={t`Couldn’t show this table`} {...{ source, entry, read, actions }} />
}

function Table(props: ViewerProps & { opened: OpenTable }) {
  const { source, entry, openAs, opened, setFacts } = props
  const { t } = useLingui()
  const table = useTable(opened, setFacts)
  const { facts, rowCount, sort, filter, problem, busy } = table
  const asText = <AsText openAs={openAs} />
  if (problem !== null) return <NoTable {...props} read={problem} />
  if (facts.widths.length === 0) {
    return <Message title={t`This table is empty`} source={source} entry={entry} actions={asText} />
  }
  return (
    <div className="vx-page col covers" data-gestures="own" aria-busy={busy}>
      <div className="vx-bar" role="toolbar" aria-label={t`Table`}>
        <span className="input vx-find">
          <Funnel className="i i-sm" aria-hidden />
          <input
            type="text"
            value={filter}
            aria-label={t`Filter rows`}
            placeholder={t`Filter rows`}
            spellCheck={false}
            onChange={(event) => table.filterLater(event.currentTarget.value)}
          />
        </span>
        <RowCount count={rowCount} total={facts.rowCount} />
        <span className="grow" />
        <ReadingFields facts={facts} reopen={(how) => void table.reopen(how)} />
        {!editsElsewhere(source, entry) && asText}
      </div>
      {facts.columnCount > facts.widths.length && (
        <p className="vw-note rigid fs-md tone-warn" role="note">
          <Trans>Only part of this sheet is shown. Download the file to see all of it.</Trans>
        </p>
      )}
      <CsvGrid
        label={entry.name}
        facts={facts}
        rowCount={rowCount}
        sort={sort}
        rowAt={(at) => opened.client.row(at)}
        onSort={(next) => void table.arrange(filter, next)}
      />
    </div>
  )
}

interface Reading {
  encoding?: string
  delimiter?: Delimiter
  header?: boolean
}

/** A table in its worker: what is known of it, and how it is read, sorted and filtered. */
function useTable({ client, facts: first }: OpenTable, setFacts: ViewerProps['setFacts']) {
  const { t, i18n } = useLingui()
  const [facts, setTable] = useState(first)
  const [rowCount, setRowCount] = useState(first.rowCount)
  const [sort, setSort] = useState<CsvSort | null>(null)
  const [filter, setFilter] = useState('')
  const [problem, setProblem] = useState<Read<never> | null>(null)
  const [busy, setBusy] = useState(false)
  const filterTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(filterTimer.current), [])

  const { rowCount: count, columnCount: width } = facts
  useEffect(() => {
    const rows = t`${plural(count, { one: '# row', other: '# rows' })}`
    const columns = t`${plural(width, { one: '# column', other: '# columns' })}`
    setFacts(`${rows} × ${columns}`)
  }, [setFacts, t, count, width])

  async function work(task: () => Promise<void>) {
    setBusy(true)
    try {
      await task()
    } catch (error) {
      setProblem({ state: 'failed', error })
    } finally {
      setBusy(false)
    }
  }

  async function reopen(how: Reading) {
    const { encoding, delimiter, header } = facts
    // The control shows the choice at once, the rows when they are read.
    setTable({ ...facts, ...how })
    clearTimeout(filterTimer.current)
    setSort(null)
    setFilter('')
    await work(async () => {
      const found = await client.open({ encoding, delimiter, header, ...how })
      setTable(found)
      setRowCount(found.rowCount)
    })
  }

  async function arrange(nextFilter: string, nextSort: CsvSort | null) {
    // Of a text that waits to be filtered by: it is in `nextFilter`, and its order is out of date.
    clearTimeout(filterTimer.current)
    setSort(nextSort)
    await work(async () => {
      setRowCount(await client.arrange(nextFilter.trim(), nextSort, i18n.locale))
    })
  }

  function filterLater(text: string) {
    setFilter(text)
    clearTimeout(filterTimer.current)
    filterTimer.current = setTimeout(() => void arrange(text, sort), FILTER_PAUSE_MS)
  }

  return { facts, rowCount, sort, filter, problem, busy, reopen, arrange, filterLater }
}

function RowCount({ count, total }: { count: number; total: number }) {
  const [shown, all] = [formatNumber(count), formatNumber(total)]
  if (count === total) {
    return (
      <span className="vx-note num not-phone" role="status">
        <Plural value={count} one="# row" other="# rows" />
      </span>
    )
  }
  return (
    <span className="vx-note num" role="status">
      <Trans>
        Rows: {shown} of {all}
      </Trans>
    </span>
  )
}

/** How the text becomes a table: heading, delimiter, encoding. */
function ReadingFields({ facts, reopen }: { facts: CsvFacts; reopen(how: Reading): void }) {
  const { t } = useLingui()
  const names: Record<Delimiter, string> = {
    ',': t`Comma`,
    ';': t`Semicolon`,
    ',;': t`Comma and semicolon`,
    '\t': t`Tab`,
    '|': t`Vertical bar`,
    ':': t`Colon`,
    ' ': t({ message: 'Space', context: 'delimiter' }),
  }
  return (
    <>
      <Checkbox
        label={<Trans>Header row</Trans>}
        checked={facts.header}
        onChange={(header) => reopen({ header })}
      />
      <span className="select">
        <select
          className="vx-select"
          aria-label={t`Delimiter`}
          value={facts.delimiter}
          onChange={(event) => reopen({ delimiter: event.currentTarget.value as Delimiter })}
        >
          {delimiters.map((delimiter) => (
            <option key={delimiter} value={delimiter}>
              {names[delimiter]}
            </option>
          ))}
        </select>
        <ChevronDown className="i i-sm" aria-hidden />
      </span>
      <EncodingSelect
        className="vx-select"
        value={facts.encoding}
        onChange={(encoding) => reopen({ encoding })}
      />
    </>
  )
}
