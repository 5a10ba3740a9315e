// The frame that says outside files can be let go here.

import { Plural, Trans } from '@lingui/react/macro'
import { Upload } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { drag } from './drag-session.ts'

/** Over the listing while files from outside are dragged. */
export function DropVeil() {
  const { kind, target, count } = useSnapshot(drag)
  if (kind !== 'files' || target === null) return null
  const folder = folderTitle(target)
  return (
    <div className="dropveil" aria-hidden>
      <div className="dropveil__pill row strong">
        <Upload className="i" />
        {count > 0 ? (
          <span>
            <Plural
              value={count}
              one={`Drop to upload # item to “${folder}”`}
              other={`Drop to upload # items to “${folder}”`}
            />
          </span>
        ) : (
          <span>
            <Trans>Drop to upload to “{folder}”</Trans>
          </span>
        )}
      </div>
    </div>
  )
}
