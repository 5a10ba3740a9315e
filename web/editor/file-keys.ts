// Keys of what can be done with the file, while the text has the focus.

import { useDocumentKeys } from '../lib/page/use-document-keys.ts'
import type { FrameAction } from '../viewers/frame/source.ts'

/** In a text Ctrl+S saves and Delete deletes a character, whatever they do elsewhere. */
const KEYS_OF_THE_TEXT = new Set(['download', 'delete'])

/** What is shown beside an action in the menu; undefined when its keys mean something else here. */
export function shortcutInText(action: FrameAction): string | undefined {
  return KEYS_OF_THE_TEXT.has(action.id) ? undefined : action.shortcut
}

/** Listens before CodeMirror does, which knows some of these keys by other names. */
export function useFileKeys(actions: readonly FrameAction[]) {
  useDocumentKeys((event) => {
    if (event.isComposing || document.querySelector('dialog[open], [role=menu]:popover-open'))
      return
    const action = actions.find(
      (candidate) => shortcutInText(candidate) !== undefined && candidate.matches?.(event),
    )
    if (action === undefined) return
    event.preventDefault()
    event.stopPropagation()
    action.onSelect()
  }, true)
}
