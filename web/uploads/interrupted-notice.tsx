// Tells of uploads that a reload or a crash cut short, and asks for the same files again.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { History } from 'lucide-react'
import type { Snapshot } from 'valtio'
import { instanceName } from '../lib/boot.ts'
import { formatDistanceInText, formatList, formatSize } from '../lib/format.ts'
import { nameOf } from '../lib/paths.ts'
import { openPrompt } from '../operations/prompts.ts'
import type { InterruptedUpload } from '../state/uploads.ts'
import { Button } from '../ui/button.tsx'
import { pickFiles } from './entry.ts'
import { discardInterrupted } from './resume.ts'

export function InterruptedNotice({ batch }: { batch: Snapshot<InterruptedUpload> }) {
  const { t } = useLingui()
  const left = batch.files - batch.doneFiles
  const target = batch.targetPath === '/' ? instanceName : nameOf(batch.targetPath)
  const names = formatList(batch.names)
  const more = left - batch.names.length
  const when = formatDistanceInText(batch.startedAtMs)
  const size = formatSize(batch.leftBytes)

  async function onDiscard() {
    const answer = await openPrompt('confirm', {
      title: t`Discard the interrupted upload?`,
      text: t`Files that are already uploaded stay. What is unfinished is removed from the server.`,
      answers: [{ id: 'discard', label: t`Discard`, tone: 'danger' }],
    })
    if (answer === 'discard') await discardInterrupted(batch.id)
  }

  return (
    <section className="up__cut" aria-label={t`Interrupted upload`}>
      <span className="up__mark center rigid tone-warn">
        <History className="i" aria-hidden />
      </span>
      <div className="grow">
        <strong>
          <Plural
            value={left}
            one="# file was not finished uploading"
            other="# files were not finished uploading"
          />
        </strong>
        <p className="up__cutwords fs-md mid">
          <bdi>{names}</bdi>
          {more > 0 && (
            <>
              {' '}
              <Plural value={more} one="and # more" other="and # more" />
            </>
          )}{' '}
          <Trans>
            to “<bdi>{target}</bdi>”, {size}, started: {when}
          </Trans>
        </p>
        <p className="up__cutwords fs-md mid">
          {batch.fromFolder ? (
            <Trans>Choose the same folder again to continue. Nothing is sent twice.</Trans>
          ) : (
            <Trans>Choose the same files again to continue. Nothing is sent twice.</Trans>
          )}
        </p>
        <div className="row up__cutacts">
          <Button
            size="sm"
            tone="fill"
            onClick={() => pickFiles(batch.fromFolder ? 'folder' : 'files', batch.targetPath)}
          >
            {batch.fromFolder ? <Trans>Choose folder</Trans> : <Trans>Choose files</Trans>}
          </Button>
          <Button size="sm" tone="line" onClick={() => void onDiscard()}>
            <Trans>Discard</Trans>
          </Button>
        </div>
      </div>
    </section>
  )
}
