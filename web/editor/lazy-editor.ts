// The door to the editor: a chunk of its own, with its style sheet, fetched when a text file opens.

import { onDemand } from '../lib/page/on-demand.tsx'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import viewerStyles from '../viewers/frame/text-viewers.css?url'
import styles from './editor.css?url'

const load = async () => {
  const [module] = await Promise.all([
    import('./editor.tsx'),
    loadStylesheet(styles),
    // Previews beside the source, and what is shown instead of files that cannot be edited.
    loadStylesheet(viewerStyles),
  ])
  return module
}

export const LazyEditor = onDemand(async () => (await load()).Editor)

/** Fetches the editor ahead of its use, e.g. while the pointer rests on a text file. */
export function prefetchEditor(): void {
  void load().catch(() => {
    // Opening the file will try again and say what is wrong.
  })
}
