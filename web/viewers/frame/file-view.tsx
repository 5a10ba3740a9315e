// A file of the signed-in person on the screen: in the editor when it is text, otherwise in its
// viewer. Also decides where closing, turning to a neighbour and deleting lead.

import {
  Suspense,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSnapshot } from 'valtio'
import type { FileEntry, FileInfo } from '../../../src/api-types.ts'
import { fetchInfo } from '../../api/files.ts'
import { goHref, useQuery } from '../../lib/page/navigate.ts'
import { filesHref, parentOf } from '../../lib/paths.ts'
import { cachedFolder } from '../../state/folder-cache.ts'
import { prefetchFolder } from '../../state/listed-folder.ts'
import { entryAt, listing, openFolderPath, shownFolder } from '../../state/listing.ts'
import { session } from '../../state/session.ts'
import { keepPlaying, takeFromCorner } from '../media/corner.ts'
import { endSession } from '../media/use-media.ts'
import { createFilesSource } from './files-source.ts'
import { ViewerFrame } from './frame.tsx'
import { useFrameActions } from './frame-actions.ts'
import { viewers } from './index.ts'
import { isViewerKind, kindOf, opensInEditor } from './kinds.ts'
import { showFile } from './show-file.ts'
import type { FileSource, ViewerKind, ViewerProps } from './source.ts'

const source: FileSource = createFilesSource(entriesBeside)

/**
 * From the open listing, be it a folder or the hits of a search, or, when the file was opened by its address, from its
 * folder fetched aside. The folder stays in the cache: turning to a neighbour then knows the file before it is asked for.
 */
async function entriesBeside(vpath: string, signal: AbortSignal): Promise<readonly FileEntry[]> {
  const folder = parentOf(vpath)
  if (openFolderPath() === folder || entryAt(vpath) !== undefined) return shownFolder().visible
  await prefetchFolder(folder)
  return cachedFolder(folder)?.entries ?? (await fetchInfo(folder, signal)).items ?? []
}

interface FileViewProps {
  vpath: string
  /** What is known of the file: an entry of its listing at first, then the full information. */
  info: FileInfo
}

export function FileView({ vpath, info }: FileViewProps) {
  const query = useQuery()
  const entry = useSteady(info)
  const siblings = useSiblings(entry)
  const close = useClose(vpath)
  // Rights can change while a file is open.
  useSnapshot(session)
  useEffect(() => endSession, [])
  useCorner(entry, siblings)

  const kind = chooseKind(entry, query)
  const props: Omit<ViewerProps, 'setFacts'> = useMemo(
    () => ({
      source,
      entry,
      siblings,
      close,
      navigate: (to) => void showFile(to.path, { replace: true }),
      openAs: (as) => void showFile(entry.path, { replace: true, view: as }),
    }),
    [entry, siblings, close],
  )
  const actions = useFrameActions(props)

  if (kind === 'text') {
    const Editor = viewers.text
    return (
      <Suspense fallback={null}>
        <Editor key={entry.path} {...props} setFacts={ignore} />
      </Suspense>
    )
  }
  return <ViewerFrame {...props} kind={kind} actions={actions} />
}

function ignore() {}

/** What plays when the viewer is closed goes on in a corner, and from there when its file is opened again. */
function useCorner(entry: FileEntry, siblings: readonly FileEntry[]) {
  const leave = useEffectEvent(() => keepPlaying({ source, entry, siblings }))
  // Before the elements of the viewer go, and before those of the next one look how to begin.
  useLayoutEffect(() => () => leave(), [])
  useLayoutEffect(() => takeFromCorner(entry.path), [entry.path])
}

/** `?edit=true` is what File Browser's links use for tables; `?view=` is ours. */
function chooseKind(entry: FileEntry, query: URLSearchParams): ViewerKind {
  const asked = query.get('view') ?? (query.get('edit') === 'true' ? 'text' : '')
  if (isViewerKind(asked)) return asked
  return opensInEditor(entry) ? 'text' : kindOf(entry)
}

/** The same object for the same state of a file, so that a quiet reload does not restart a film. */
function useSteady(info: FileInfo): FileInfo {
  const kept = useRef(info)
  const { path, modified, size, type, subtitles } = kept.current
  const same =
    info.path === path &&
    info.modified === modified &&
    info.size === size &&
    info.type === type &&
    String(info.subtitles ?? '') === String(subtitles ?? '')
  if (!same) kept.current = info
  return kept.current
}

/** The files to turn to: everything the frame shows, in the order of the listing. */
function useSiblings(entry: FileEntry): readonly FileEntry[] {
  const folder = parentOf(entry.path)
  const [found, setFound] = useState<{ folder: string; files: readonly FileEntry[] } | null>(null)
  const { visible } = useSnapshot(listing).phase.shown
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed listing has other neighbours
  useEffect(() => {
    const abort = new AbortController()
    source.siblings(entry, abort.signal).then(
      (files) => {
        if (!abort.signal.aborted) setFound({ folder, files })
      },
      // Without its folder the file is shown alone.
      () => {},
    )
    return () => abort.abort()
  }, [folder, visible])
  return found?.folder === folder ? found.files : none
}

const none: readonly FileEntry[] = []

/** Back to the folder: by the history when it is the page before, so that Back does not return here. */
function useClose(vpath: string) {
  const folder = parentOf(vpath)
  const cameFromFolder = useRef(openFolderPath() === folder || entryAt(vpath) !== undefined)
  const leaves = useRef(false)
  return useMemo(
    () => () => {
      // The browser goes back a moment later: asked twice, it would leave the folder as well.
      if (leaves.current) return
      if (cameFromFolder.current) {
        leaves.current = true
        // Unsaved text may have kept the file open.
        const came = () => {
          leaves.current = false
        }
        addEventListener('popstate', came, { once: true })
        history.back()
      } else void goHref(filesHref(folder, true), { replace: true })
    },
    [folder],
  )
}
