// How long ago something was, within a sentence.

import { formatDistance } from '../lib/format.ts'

/** Like formatDistance, without the capital that stands at the start of a line: "12 minutes ago". */
export function ageInSentence(atMs: number, nowMs = Date.now()): string {
  const text = formatDistance(atMs, nowMs)
  // Only the first letter: German writes its nouns with a capital.
  return text.charAt(0).toLocaleLowerCase() + text.slice(1)
}
