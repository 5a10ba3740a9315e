// The code that the neighbours will need, fetched while somebody looks at the shown file. Their bytes
// are not: only pictures are small enough for that, and image.tsx fetches those itself.

import { useEffect } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { prefetchEditor } from '../../editor/lazy-editor.ts'
import { savesData } from '../../lib/page/media.ts'
import { prefetchViewer } from './index.ts'
import { kindOf, opensInEditor } from './kinds.ts'
import type { FileSource } from './source.ts'

/** The shown file comes first: its own code and bytes are asked for within this time. */
const HEAD_START_MS = 500

export function usePrefetch(source: FileSource, neighbours: readonly (FileEntry | undefined)[]) {
  const kinds = neighbours.flatMap((entry) =>
    entry === undefined
      ? []
      : source.kind === 'files' && opensInEditor(entry)
        ? ['editor' as const]
        : [kindOf(entry)],
  )
  const wanted = [...new Set(kinds)].join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same kinds are not fetched again
  useEffect(() => {
    if (savesData()) return
    const timer = setTimeout(() => {
      for (const kind of new Set(kinds)) {
        if (kind === 'editor') prefetchEditor()
        else prefetchViewer(kind)
      }
    }, HEAD_START_MS)
    return () => clearTimeout(timer)
  }, [wanted])
}
