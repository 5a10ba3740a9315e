// A JSON file in the viewer frame: as a tree, up to a size that fits into memory.

import { useLingui } from '@lingui/react/macro'
import { editsElsewhere } from '../frame/kinds.ts'
import type { ViewerProps } from '../frame/source.ts'
import { AsText, Unready } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { JsonTree } from './json-tree.tsx'

const MAX_JSON_BYTES = 128 * 1024 * 1024

export function JsonViewer({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const read = useFile(source, entry, (signal) => source.readAll(entry, MAX_JSON_BYTES, signal))
  const asText = <AsText openAs={openAs} />
  if (read.state !== 'ready') {
    const title = t`Couldn’t show this file as a tree`
    return <Unready title={title} {...{ source, entry, read }} actions={asText} />
  }
  return (
    <div className="vx-page col covers" data-gestures="own">
      <JsonTree
        text={read.value}
        actions={editsElsewhere(source, entry) ? undefined : asText}
        autoFocus
      />
    </div>
  )
}
