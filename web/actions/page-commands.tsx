// Commands that work on every screen of a signed-in person: search, palette, help, undo.

import { useEffect } from 'react'
import { provideHelp, provideSearch } from '../layout/slots.ts'
import { watchShortcuts } from './keyboard.ts'
import { runAction } from './registry.ts'

export function PageCommands() {
  useEffect(() => {
    const stop = [
      watchShortcuts(),
      provideSearch(() => runAction('search')),
      provideHelp(() => runAction('help')),
    ]
    return () => {
      for (const end of stop) end()
    }
  }, [])
  return null
}
