// Further pages of a list, on demand.

import { Trans } from '@lingui/react/macro'
import { type ReactNode, useState } from 'react'
import { toastError } from '../operations/toasts.ts'
import { Button } from '../ui/button.tsx'

interface Older<T> {
  items: readonly T[]
  /** Where the page behind these begins; null when there is none. */
  next: string | null
}

/**
 * What came behind the first page, whose `next` is given, and a button for more; null when that was all. `load`
 * reads the page that begins at a `next`.
 */
export function useOlder<T>(
  next: string | null,
  load: (from: string) => Promise<Older<T>>,
): { older: readonly T[]; more: ReactNode } {
  const [older, setOlder] = useState<Older<T>>({ items: [], next })
  const [busy, setBusy] = useState(false)

  async function showOlder(from: string) {
    setBusy(true)
    try {
      const page = await load(from)
      setOlder({ items: [...older.items, ...page.items], next: page.next })
    } catch (error) {
      toastError(error)
    }
    setBusy(false)
  }

  const { next: from } = older
  const more =
    from === null ? null : (
      <Button tone="line" className="tbl__older" busy={busy} onClick={() => void showOlder(from)}>
        <Trans>Show older</Trans>
      </Button>
    )
  return { older: older.items, more }
}
