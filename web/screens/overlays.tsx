// What lies over every screen: dialogs, messages, tooltips. Nothing of it is in sight at first, so it comes right
// after the first screen.

import { ToastHost } from '../layout/toasts.tsx'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { PromptHost } from '../prompts/host.tsx'
import { TooltipLayer } from '../ui/tooltip.tsx'
import styles from './overlays.css?url'
// Shown when the connection is gone and nothing can be loaded any more.
import '../ui/empty-art.tsx'

await loadStylesheet(styles)

export function Overlays() {
  return (
    <>
      <PromptHost />
      <ToastHost />
      <TooltipLayer />
    </>
  )
}
