import { filesHref, ROOT, segmentsOf, shownName } from '../../lib/paths.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'

/** The way to a folder, as a link to it. */
export function Location({ vpath }: { vpath: string }) {
  const parts = segmentsOf(vpath).map(shownName)
  return (
    <a href={filesHref(vpath, true)}>
      <bdi>{vpath === ROOT ? folderTitle(ROOT) : parts.join(' / ')}</bdi>
    </a>
  )
}
