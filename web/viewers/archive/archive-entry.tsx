// One file of an archive in its viewer, with the way back to the list.

import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowLeft, Download } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Boundary } from '../frame/boundary.tsx'
import { viewers } from '../frame/index.ts'
import type { ViewerKind, ViewerProps } from '../frame/source.ts'
import { Busy } from '../frame/tools.tsx'
import type { EntryFile } from './archive-source.ts'

interface EntryViewProps extends ViewerProps {
  file: EntryFile
  back(): void
}

export function EntryView({ file, back, ...props }: EntryViewProps) {
  const { t } = useLingui()
  const { source, entry } = file
  const [chosen, setChosen] = useState<ViewerKind | null>(null)
  const kind = chosen ?? file.kind
  const Viewer = viewers[kind]
  return (
    <>
      <div className="vw-row vw-row-start row line-bottom">
        <Button size="sm" icon={ArrowLeft} flipIcon onClick={back}>
          <Trans>Back to the archive</Trans>
        </Button>
        <bdi className="vw-row-name trunc">{entry.name}</bdi>
        <Button size="sm" icon={Download} onClick={() => source.download(entry)}>
          <Trans>Download</Trans>
        </Button>
      </div>
      <section className="vw-part col" aria-label={t`Content of ${entry.name}`}>
        <Boundary key={kind} source={source} entry={entry}>
          <Suspense fallback={<Busy />}>
            <Viewer
              {...props}
              source={source}
              entry={entry}
              siblings={[]}
              setFacts={ignore}
              openAs={setChosen}
              close={back}
            />
          </Suspense>
        </Boundary>
      </section>
    </>
  )
}

function ignore() {}
