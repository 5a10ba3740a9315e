// Shows a shared file where it stands, with the viewer of its kind; a large icon where none fits.

import { Suspense } from 'react'
import type { FileInfo } from '../../src/api-types.ts'
import { PageIcon } from '../ui/file-icon.tsx'
import { Boundary } from '../viewers/boundary.tsx'
import { viewers } from '../viewers/index.ts'
import { kindOf } from '../viewers/kinds.ts'
import type { FileSource, ViewerKind } from '../viewers/source.ts'
import { loadStylesheet } from '../viewers/stylesheet.ts'
import { Busy } from '../viewers/tools.tsx'
import viewerStyles from '../viewers/viewers.css?url'

await loadStylesheet(viewerStyles)

export interface StageProps {
  source: FileSource
  entry: FileInfo
  onOpenAs: (kind: ViewerKind) => void
}

export function Stage({ source, entry, onOpenAs }: StageProps) {
  const kind = kindOf(entry)
  const Viewer = viewers[kind]
  if (kind === 'fallback' || Viewer === undefined) {
    return (
      <div className="pubstage pubstage--icon">
        <PageIcon entry={entry} className="pubstage__page" />
      </div>
    )
  }
  return (
    <div className="pubstage vw" data-kind={kind}>
      <div className="vw-stage">
        <div className="vw-content">
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

const noSiblings: never[] = []

function ignore() {}
