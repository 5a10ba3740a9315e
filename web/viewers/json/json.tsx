// A JSON file in the viewer frame: as a tree, up to a size that fits into memory.

import { Trans, useLingui } from '@lingui/react/macro'
import { TextAlignStart } from 'lucide-react'
import { ApiError } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { Button } from '../../ui/button.tsx'
import { editsElsewhere } from '../frame/kinds.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Busy, Message } from '../frame/tools.tsx'
import { useBytes } from '../text/use-bytes.ts'
import { JsonTree } from './json-tree.tsx'

const MAX_JSON_BYTES = 128 * 1024 * 1024

export function JsonViewer({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const read = useBytes(source, entry, MAX_JSON_BYTES)
  const asText = (
    <Button size="sm" icon={TextAlignStart} onClick={() => openAs('text')}>
      <Trans>Open as text</Trans>
    </Button>
  )
  if (read.state === 'failed') {
    const { error } = read
    return (
      <Message
        title={t`Couldn’t show this file as a tree`}
        {...{ source, entry, error }}
        actions={error instanceof ApiError && error.code !== 'too_large' ? null : asText}
      >
        {messageOf(error)}
      </Message>
    )
  }
  if (read.state === 'loading') return <Busy />
  return (
    <div className="vx-page" data-gestures="own">
      <JsonTree
        text={read.bytes}
        actions={editsElsewhere(source, entry) ? undefined : asText}
        autoFocus
      />
    </div>
  )
}
