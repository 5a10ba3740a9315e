import { useEffect, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { isAbort } from '../../api/client.ts'
import { cachedFolder, watchFolders } from '../../state/folder-cache.ts'
import { listFolder } from '../../state/listed-folder.ts'
import { inColumnOrder } from './column-order.ts'

/** Arrow keys pass over folders faster than anybody reads what is in them. */
const SETTLED_MS = 65

interface Listed {
  /** Null until they are known. */
  entries: readonly FileEntry[] | null
  /** Why they could not be listed. */
  failure: unknown
}

/** The entries of a folder beside the open one, as they are now. */
export function useFolderEntries(vpath: string): Listed {
  const [folder, setFolder] = useState(() => cachedFolder(vpath))
  const [failure, setFailure] = useState<unknown>(null)
  const [turn, setTurn] = useState(0)
  const [listed, setListed] = useState<{ folder: typeof folder; entries: Listed['entries'] }>()

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again with each turn
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => {
      listFolder(vpath, ended.signal).then(
        (found) => {
          setFailure(null)
          setFolder(found)
        },
        (error: unknown) => {
          if (!isAbort(error)) setFailure(error)
        },
      )
    }, SETTLED_MS)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [vpath, turn])

  useEffect(
    () =>
      watchFolders((changed, now) => {
        if (changed !== vpath) return
        if (now === null) setTurn((before) => before + 1)
        else setFolder(now)
      }),
    [vpath],
  )

  // Sorted once for each listing.
  if (folder !== null && listed?.folder !== folder) {
    setListed({ folder, entries: inColumnOrder(folder) })
  }
  return { entries: listed?.entries ?? null, failure }
}
