// Shows a shared file where it stands, with the viewer of its kind and the keys of that viewer.

import { Suspense } from 'react'
import type { FileInfo } from '../../src/api-types.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useDocumentKeys } from '../lib/page/use-document-keys.ts'
import { PageIcon } from '../ui/file-icon.tsx'
import { Boundary } from '../viewers/frame/boundary.tsx'
import { viewers } from '../viewers/frame/index.ts'
import { kindOf } from '../viewers/frame/kinds.ts'
import type { FileSource, ViewerKind } from '../viewers/frame/source.ts'
import { Busy } from '../viewers/frame/tools.tsx'
import { keysAreTaken, offerKey } from '../viewers/frame/viewer-keys.ts'
import viewerStyles from '../viewers/frame/viewers.css?url'

await loadStylesheet(viewerStyles)

export interface StageProps {
  source: FileSource
  entry: FileInfo
  /** The full viewer lies over the page: keys and sound are its alone. */
  covered: boolean
  onOpenAs: (kind: ViewerKind) => void
}

export function Stage({ source, entry, covered, onOpenAs }: StageProps) {
  const kind = kindOf(entry)
  const Viewer = viewers[kind]

  useDocumentKeys((event) => {
    if (covered || keysAreTaken(event) || isPressOfControl(event) || isForPage(event)) return
    if (offerKey(event)) event.preventDefault()
  })

  if (covered) {
    return (
      <div className="pubstage center sunken">
        <PageIcon entry={entry} className="pubstage__page" />
      </div>
    )
  }
  return (
    <div className="pubstage vw" data-kind={kind}>
      <div className="vw-stage relative">
        <div className="vw-content col covers">
          <Boundary source={source} entry={entry}>
            <Suspense fallback={<Busy />}>
              <Viewer
                key={entry.path}
                source={source}
                entry={entry}
                siblings={noSiblings}
                navigate={ignore}
                close={ignore}
                setFacts={ignore}
                openAs={onOpenAs}
              />
            </Suspense>
          </Boundary>
        </div>
      </div>
    </div>
  )
}

/** Links and buttons beside the stage are pressed by the keys that play a film. */
function isPressOfControl(event: KeyboardEvent): boolean {
  if (event.key !== ' ' && event.key !== 'Enter') return false
  return event.target instanceof Element && event.target.closest('a, button') !== null
}

const pageKeys = new Set(['PageDown', 'PageUp', 'Home', 'End'])

/** These keys belong to the page as long as nobody works in the stage. */
function isForPage(event: KeyboardEvent): boolean {
  if (!pageKeys.has(event.key)) return false
  return !(event.target instanceof Element && event.target.closest('.pubstage'))
}

const noSiblings: never[] = []

function ignore() {}
