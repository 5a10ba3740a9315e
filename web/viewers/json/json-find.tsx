import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowDown, ChevronsDownUp, Search } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'
import { IconButton } from '../../ui/button.tsx'
import type { JsonClient } from './json-client.ts'

interface JsonFindProps {
  actions: ReactNode
  find(wanted: string, after: number): ReturnType<JsonClient['find']>
  onFound(path: readonly { index: number }[]): void
  onCloseAll(): void
}

export function JsonFind({ actions, find, onFound, onCloseAll }: JsonFindProps) {
  const { t } = useLingui()
  const [wanted, setWanted] = useState('')
  const [found, setFound] = useState<Awaited<ReturnType<typeof find>> | 'none'>('none')
  const asked = useRef(0)

  async function search(text: string, after: number) {
    const mine = ++asked.current
    if (text === '') {
      setFound('none')
      return
    }
    const next = await find(text, after).catch(() => null)
    if (mine !== asked.current) return
    setFound(next)
    if (next !== null) onFound(next.path)
  }
  const again = () => void search(wanted, found === 'none' || found === null ? -1 : found.offset)

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
            void search(event.currentTarget.value, -1)
          }}
          onKeyDown={(event) => {
            event.stopPropagation()
            if (event.key === 'Enter') again()
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
