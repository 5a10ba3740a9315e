import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDown, ChevronsDownUp, Search } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { IconButton } from '../../ui/button.tsx'
import type { JsonClient } from './json-client.ts'

interface JsonFindProps {
  actions: ReactNode
  find(wanted: string, after: number): Promise<Found>
  onFound(path: readonly { index: number }[]): void
  onCloseAll(): void
}

type Found = Awaited<ReturnType<JsonClient['find']>>

export function JsonFind({ actions, find, onFound, onCloseAll }: JsonFindProps) {
  const { t } = useLingui()
  const [wanted, setWanted] = useState('')
  const [found, setFound] = useState<Found | 'none'>('none')
  /** What was asked for last. Keys come faster than answers: the next match is the one after that. */
  const last = useRef<Promise<Found>>(Promise.resolve(null))
  const isBusy = useRef(false)

  async function search(text: string, before: Promise<Found> | null) {
    const own = next(text, before)
    last.current = own
    isBusy.current = true
    const match = await own
    if (last.current !== own) return
    isBusy.current = false
    setFound(text === '' ? 'none' : match)
    if (match !== null) onFound(match.path)
  }
  async function next(text: string, before: Promise<Found> | null): Promise<Found> {
    const after = (await before)?.offset ?? -1
    return text === '' ? null : find(text, after).catch(() => null)
  }
  const again = () => void search(wanted, last.current)

  return (
    <search className="vx-bar">
      <span className="input vx-find jt-find">
        <Search className="i i-sm" aria-hidden />
        <input
          type="text"
          value={wanted}
          aria-label={t`Find in the tree`}
          placeholder={t`Find`}
          spellCheck={false}
          onChange={(event) => {
            setWanted(event.currentTarget.value)
            void search(event.currentTarget.value, null)
          }}
          onKeyDown={(event) => {
            event.stopPropagation()
            // Held down, Enter asks for no more than can be found meanwhile.
            if (event.key === 'Enter' && !(event.repeat && isBusy.current)) again()
          }}
        />
      </span>
      <span className="vx-note num rigid nowrap" role="status">
        {found === null && wanted !== '' && <Trans>No matches</Trans>}
        {found !== null && found !== 'none' && (
          <Trans>
            {formatNumber(found.current)} of{' '}
            {`${formatNumber(found.total)}${found.more ? '+' : ''}`}
          </Trans>
        )}
      </span>
      <IconButton
        size="sm"
        icon={ArrowDown}
        label={t`Next match`}
        disabled={wanted === ''}
        onClick={again}
      />
      <span className="grow" />
      <IconButton size="sm" icon={ChevronsDownUp} label={t`Collapse all`} onClick={onCloseAll} />
      {actions}
    </search>
  )
}
