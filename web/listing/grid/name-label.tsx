// A file name that is cut in the middle when there is no room: the stem shrinks, the extension stays.

import { memo } from 'react'
import { shownName, splitName } from '../../lib/paths.ts'

/** Longer than this an "extension" is just a name with a dot in it. */
const MAX_EXTENSION = 12

export const NameLabel = memo(function NameLabel({ name }: { name: string }) {
  const { stem, extension } = splitName(name)
  if (extension === '' || extension.length > MAX_EXTENSION) {
    return (
      <bdi className="fname shrinks">
        <span className="fname__stem">{shownName(name)}</span>
      </bdi>
    )
  }
  // Isolated from each other: a right-to-left mark in the stem cannot disguise the extension.
  return (
    <bdi className="fname shrinks">
      <span className="fname__stem">{shownName(stem)}</span>
      <span className="fname__ext rigid">{shownName(extension)}</span>
    </bdi>
  )
})
