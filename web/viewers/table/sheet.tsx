// Spreadsheets: the sheets as tables, values as the file formats them.

import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { ApiError } from '../../api/client.ts'
import { extensionOf } from '../../lib/file-class.ts'
import { formatNumber } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { ZipError } from '../archive/zip-reader.ts'
import partsStyles from '../frame/parts.css?url'
import type { FileSource, ViewerProps } from '../frame/source.ts'
import { Busy, Message, UnreadReason } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { readWhole, repackOffice } from '../office/repack.ts'
import sheetStyles from './sheet.css?url'
import workerUrl from './sheet.worker.ts?worker'
import { SheetGrid } from './sheet-grid.tsx'
import type { SheetReply, SheetTable } from './sheet-message.ts'

await Promise.all([loadStylesheet(partsStyles), loadStylesheet(sheetStyles)])

const PATIENCE_MS = 30_000
/** The binary formats of old are no archives and cannot be unpacked beforehand. */
const MAX_BINARY_BYTES = 24 * 1024 * 1024

type Failure = ZipError['reason'] | 'slow' | ApiError

export function SheetViewer({ source, entry, setFacts }: ViewerProps) {
  const { t } = useLingui()
  const read = useFile(source, entry, (signal) =>
    readSheets(source, entry, signal).catch((error): Failure => {
      if (error instanceof ApiError) return error
      return error instanceof ZipError ? error.reason : 'damaged'
    }),
  )
  const [shown, setShown] = useState(0)
  const tables = read.state === 'ready' && Array.isArray(read.value) ? read.value : null
  const table = tables?.[shown]

  useEffect(() => {
    if (!table) return
    const rows = formatNumber(table.rows.length)
    const columns = formatNumber(table.columns)
    setFacts(t`${rows} rows × ${columns} columns`)
  }, [table, setFacts, t])

  if (read.state !== 'ready') return <Busy />
  if (tables === null) {
    const failure = read.value
    return (
      <Message source={source} entry={entry} error={failure} title={t`This table can’t be shown`}>
        {failure === 'slow' ? (
          <Trans>The file took too long to open.</Trans>
        ) : (
          <UnreadReason reason={failure} />
        )}
      </Message>
    )
  }
  return (
    <div className="vw-sheet vw-part col">
      {table && table.rows.length > 0 ? (
        <SheetGrid key={shown} table={table} />
      ) : (
        !table?.cut && (
          <p className="vw-side-empty dim">
            <Trans>This sheet is empty.</Trans>
          </p>
        )
      )}
      {table?.cut && (
        <p className="vw-note rigid fs-md tone-warn" role="note">
          <Trans>Only part of this sheet is shown. Download the file to see all of it.</Trans>
        </p>
      )}
      {tables.length > 1 && (
        <div className="vw-sheet-tabs" role="tablist" aria-label={t`Sheets`} data-gestures="own">
          {tables.map(({ name }, index) => (
            <button
              type="button"
              role="tab"
              key={name}
              aria-selected={index === shown}
              onClick={() => setShown(index)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

async function readSheets(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
): Promise<SheetTable[] | Failure> {
  const binary = extensionOf(entry.name) === 'xls'
  const bytes = binary
    ? await readWhole(source, entry, MAX_BINARY_BYTES, signal)
    : (await repackOffice(source, entry, signal)).buffer
  const worker = new Worker(workerUrl, { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => resolve('slow'), PATIENCE_MS)
      signal.addEventListener('abort', () => reject(signal.reason))
      worker.onmessage = ({ data }: MessageEvent<SheetReply>) =>
        resolve('tables' in data ? data.tables : data.failed)
      worker.onerror = () => resolve('damaged')
      worker.postMessage(bytes, [bytes])
    })
  } finally {
    clearTimeout(timer)
    worker.terminate()
  }
}
