import { goHref } from '../../lib/page/navigate.ts'
import { filesHref } from '../../lib/paths.ts'
import type { ViewerKind } from './source.ts'

interface ShowOptions {
  /** In place of the present page, so that Back leads to the folder. */
  replace?: boolean
  view?: ViewerKind
}

/** Goes to the page of a file; resolves false when unsaved work kept the present one. */
export function showFile(vpath: string, { replace = false, view }: ShowOptions = {}) {
  const query = view ? `?view=${view}` : ''
  return goHref(filesHref(vpath, false) + query, { replace, state: history.state })
}
