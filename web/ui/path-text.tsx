import { Fragment } from 'react'
import { shownName } from '../lib/paths.ts'

/** A path; where it is too long for a line, it goes on in the next one after a slash. */
export function PathText({ path }: { path: string }) {
  const parts = shownName(path).split(/(?<=\/)/)
  return (
    <bdi>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of one path may be equal
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  )
}
