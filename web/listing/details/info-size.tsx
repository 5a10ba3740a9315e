// Sizes among the facts: of files exact, of folders on demand.

import { plural } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { isAbort } from '../../api/client.ts'
import { streamTree } from '../../api/files.ts'
import { formatNumber, formatSize } from '../../lib/format.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button } from '../../ui/button.tsx'

/** Bytes both rounded and exact. */
export function ExactSize({ bytes }: { bytes: number }) {
  const exact = formatNumber(bytes)
  return (
    <span className="num">
      <bdi>{formatSize(bytes)}</bdi>{' '}
      {bytes >= 1024 && (
        <bdi className="dim">
          <Trans>({exact} B)</Trans>
        </bdi>
      )}
    </span>
  )
}

/** The size of everything in folders, listed by the server when asked. */
export function FolderSize({ paths, bytes }: { paths: readonly string[]; bytes: number }) {
  const [sum, setSum] = useState<{ bytes: number; items: number } | null>(null)
  const [controller, setController] = useState<AbortController | null>(null)
  useEffect(() => () => controller?.abort(), [controller])

  async function count() {
    const own = new AbortController()
    setController(own)
    try {
      let total = bytes
      let items = 0
      for (const path of paths) {
        for await (const entries of streamTree(path, own.signal)) {
          items += entries.length
          for (const entry of entries) if (!entry.isDir) total += entry.size
        }
      }
      setSum({ bytes: total, items })
    } catch (error) {
      if (!own.signal.aborted && !isAbort(error)) toastError(error)
    } finally {
      if (!own.signal.aborted) setController(null)
    }
  }

  if (sum !== null) {
    const items = sum.items
    return (
      <>
        <ExactSize bytes={sum.bytes} />
        <br />
        <span className="dim">
          {plural(items, { one: '# item inside', other: '# items inside' })}
        </span>
      </>
    )
  }
  return (
    <Button size="sm" className="info__ask" busy={controller !== null} onClick={() => void count()}>
      <Trans>Calculate</Trans>
    </Button>
  )
}
