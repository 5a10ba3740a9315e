// Narrows the open folder to names that contain the typed text, at once and without the server.

import { useLingui } from '@lingui/react/macro'
import { ListFilter, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { announce } from '../lib/page/announce.ts'
import { setShown, shownFolder } from '../state/listing.ts'
import { provide } from '../state/slots.ts'
import { IconButton } from '../ui/button.tsx'
import { useListing } from './use-listing.ts'

export function FilterField({ folded }: { folded?: boolean }) {
  const { t } = useLingui()
  const { filter } = useListing().shown
  const input = useRef<HTMLInputElement>(null)
  const [asked, setAsked] = useState(false)
  const shown = !folded || asked || filter !== ''

  useEffect(() => {
    // At once: what is typed next belongs into the field.
    const run = () => {
      flushSync(() => setAsked(true))
      input.current?.focus()
      input.current?.select()
    }
    return provide('filter', { run })
  }, [])

  if (!shown) return null

  function close() {
    setShown({ filter: '' })
    setAsked(false)
    document.getElementById('listing')?.focus({ preventScroll: true })
  }

  return (
    <search className="filter in-box">
      <ListFilter className="i i-sm" aria-hidden />
      <input
        ref={input}
        type="text"
        dir="auto"
        aria-label={t`Filter this folder`}
        placeholder={t`Filter this folder`}
        value={filter}
        spellCheck={false}
        autoComplete="off"
        enterKeyHint="done"
        onChange={(event) => {
          setShown({ filter: event.currentTarget.value })
          const count = shownFolder().visible.length
          announce(t`${count} shown`)
        }}
        onBlur={() => {
          if (shownFolder().filter === '') setAsked(false)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close()
          else if (event.key === 'Enter' || event.key === 'ArrowDown') {
            event.currentTarget.blur()
            document.getElementById('listing')?.focus({ preventScroll: true })
          } else return
          event.preventDefault()
          event.stopPropagation()
        }}
      />
      {filter !== '' && <IconButton size="sm" icon={X} label={t`Clear filter`} onClick={close} />}
    </search>
  )
}
