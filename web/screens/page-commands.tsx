import { useEffect } from 'react'
import { useFirstLoadOver } from '../layout/first-load.ts'
import { watchShortcuts } from '../operations/commands/keyboard.ts'
import { runAction } from '../operations/commands/registry.ts'
import { provide } from '../state/slots.ts'
import { addPasted, pickFiles } from '../uploads/entry.ts'

export function PageCommands() {
  const isOver = useFirstLoadOver()
  useEffect(() => {
    const stop = [
      watchShortcuts(),
      provide('search', { run: () => runAction('palette') }),
      provide('help', { run: () => runAction('help') }),
      provide('uploads', { pick: pickFiles, paste: addPasted }),
    ]
    return () => {
      for (const end of stop) end()
    }
  }, [])
  useEffect(() => {
    if (!isOver) return
    // Dialogs opened by keys are typed into at once, and a paste is asked for: their code should be here by then.
    const idle = globalThis.requestIdleCallback ?? ((task: () => void) => setTimeout(task, 500))
    idle(() => {
      // What does not come now is loaded with what needs it.
      void Promise.allSettled([
        import('../listing/selection-bar.tsx'),
        import('../listing/grid/rubber-band.ts'),
        import('../operations/copy-and-move.ts'),
        import('../lib/page/copy-otherwise.ts'),
        import('../operations/deleting.ts'),
        import('../search/palette.tsx'),
        import('../prompts/new-entry.tsx'),
        import('../prompts/rename.tsx'),
        import('../prompts/delete.tsx'),
      ])
    })
  }, [isOver])
  return null
}
