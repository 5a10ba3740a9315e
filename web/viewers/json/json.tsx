// A JSON file in the viewer frame: as a tree, up to a size that fits into memory.

import { Trans, useLingui } from '@lingui/react/macro'
import { TextAlignStart } from 'lucide-react'
import { useEffect, useState } from 'react'
import { ApiError, isAbort } from '../../api/client.ts'
import { messageOf } from '../../api/error-text.ts'
import { Button } from '../../ui/button.tsx'
import { editsElsewhere } from '../frame/kinds.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Busy, Message } from '../frame/tools.tsx'
import { JsonTree } from './json-tree.tsx'

const MAX_JSON_BYTES = 128 * 1024 * 1024

export function JsonViewer({ source, entry, openAs }: ViewerProps) {
  const { t } = useLingui()
  const [bytes, setBytes] = useState<ArrayBuffer | null>(null)
  const [problem, setProblem] = useState<{ error: unknown } | null>(null)
  const { path, modified, size } = entry

  // biome-ignore lint/correctness/useExhaustiveDependencies: the same version is not read twice
  useEffect(() => {
    const abort = new AbortController()
    setBytes(null)
    setProblem(null)
    source.readAll(entry, MAX_JSON_BYTES, abort.signal).then(setBytes, (error) => {
      if (!isAbort(error) && !abort.signal.aborted) setProblem({ error })
    })
    return () => abort.abort()
  }, [source, path, modified, size])

  const asText = (
    <Button size="sm" icon={TextAlignStart} onClick={() => openAs('text')}>
      <Trans>Open as text</Trans>
    </Button>
  )
  if (problem !== null) {
    const { error } = problem
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
  if (bytes === null) return <Busy />
  return (
    <div className="vx-page" data-gestures="own">
      <JsonTree
        text={bytes}
        actions={editsElsewhere(source, entry) ? undefined : asText}
        autoFocus
      />
    </div>
  )
}
