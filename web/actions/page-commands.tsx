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
    // Dialogs opened by keys are typed into at once: their code should be here by then.
    const idle = globalThis.requestIdleCallback ?? ((task: () => void) => setTimeout(task, 500))
    idle(() => {
      void import('../prompts/palette.tsx')
      void import('../prompts/new-entry.tsx')
      void import('../prompts/rename.tsx')
      void import('../prompts/delete.tsx')
    })
    return () => {
      for (const end of stop) end()
    }
  }, [])
  return null
}
