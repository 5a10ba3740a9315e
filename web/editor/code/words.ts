// CodeMirror's own words in the language of the page: labels, and what it tells screen readers.

import { i18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'

const words = {
  'Control character': msg`Control character`,
  'Folded lines': msg`Folded lines`,
  'Unfolded lines': msg`Unfolded lines`,
  to: msg({ message: 'to', context: 'a range of line numbers' }),
  'folded code': msg`folded lines`,
  unfold: msg`unfold`,
  'Fold line': msg`Fold line`,
  'Unfold line': msg`Unfold line`,
  'Selection deleted': msg`Selection deleted`,
  'current match': msg`current match`,
  'replaced match on line $': msg`replaced the match on line $`,
  'replaced $ matches': msg`replaced $ matches`,
  'on line': msg`on line`,
  Completions: msg`Completions`,
  '$ unchanged lines': msg`$ unchanged lines`,
}

/** To be asked for anew when the language changes. */
export function editorWords(): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([key, word]) => [key, i18n._(word)]))
}
