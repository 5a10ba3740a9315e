// What lies over every screen: dialogs, messages, tooltips, what is dragged. Nothing of it is in sight at first, so it comes right
// after the first screen.

import { ToastHost } from '../layout/toasts.tsx'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { DragGhost } from '../listing/drag/drag-ghost.tsx'
import { PromptHost } from '../prompts/host.tsx'
import { TooltipLayer } from '../ui/tooltip.tsx'
import styles from './overlays.css?url'

await Promise.allSettled([
  loadStylesheet(styles),
  // Shown when the connection is gone and nothing can be loaded any more.
  import('../listing/failed-folder.tsx'),
  import('../ui/empty-art.tsx'),
])

export function Overlays() {
  return (
    <>
      <DragGhost />
      <PromptHost />
      <ToastHost />
      <TooltipLayer />
    </>
  )
}
