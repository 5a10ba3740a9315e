// Sizes among the facts: of files exact, of folders on demand.

import { plural } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { streamTree } from '../../api/files.ts'
import { formatNumber, formatSize } from '../../lib/format.ts'
import { useAsked } from '../../lib/page/use-asked.ts'
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
  const sum = useAsked(async (signal) => {
    let total = bytes
    let items = 0
    for (const path of paths) {
      for await (const entries of streamTree(path, signal)) {
        items += entries.length
        for (const entry of entries) if (!entry.isDir) total += entry.size
      }
    }
    return { total, items }
  }, toastError)

  if (sum.value !== null) {
    const { total, items } = sum.value
    return (
      <>
        <ExactSize bytes={total} />
        <br />
        <span className="dim">
          {plural(items, { one: '# item inside', other: '# items inside' })}
        </span>
      </>
    )
  }
  return (
    <Button size="sm" className="info__ask" busy={sum.busy} onClick={sum.ask}>
      <Trans>Calculate</Trans>
    </Button>
  )
}
