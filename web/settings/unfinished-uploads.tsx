// One's own uploads that were never finished, on whatever device: they take up room until they are.

import { Trans, useLingui } from '@lingui/react/macro'
import { Trash2 } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { UnfinishedUpload } from '../../src/api-types.ts'
import { discardUpload, listUnfinished } from '../api/uploads.ts'
import { formatSize } from '../lib/format.ts'
import { nameOf, parentOf, ROOT, shownName } from '../lib/paths.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError } from '../operations/toasts.ts'
import { permissions } from '../state/session.ts'
import { isUploading, uploads } from '../state/uploads.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { DateText } from '../ui/date-text.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { pickUnfinished } from '../uploads/pick-unfinished.ts'
import { isInPanel } from '../uploads/run.ts'
import { Section } from './parts.tsx'
import { useLoad } from './use-load.ts'

/** Nothing while there are none. */
export function UnfinishedUploads() {
  const { t } = useLingui()
  const busy = isUploading(useSnapshot(uploads))
  const loaded = useLoad(`uploads ${busy}`, listUnfinished)
  const list = loaded.data?.filter(({ path }) => !isInPanel(path)) ?? []

  async function discard({ path }: UnfinishedUpload) {
    const answer = await openPrompt('confirm', {
      title: t`Discard the interrupted upload?`,
      text: t`Files already uploaded will be kept. Unfinished uploads will be removed from the server.`,
      answers: [{ id: 'discard', label: t`Discard`, tone: 'danger' }],
    })
    if (answer !== 'discard') return
    await discardUpload(path).catch(toastError)
    loaded.reload()
  }

  if (list.length === 0) return null
  return (
    <Section
      title={t`Unfinished uploads`}
      hint={t`Choose the same files again to resume. What’s already uploaded won’t be sent again.`}
    >
      <ul className="devices">
        {list.map((upload) => (
          <Unfinished key={upload.path} upload={upload} onDiscard={() => void discard(upload)} />
        ))}
      </ul>
    </Section>
  )
}

function Unfinished({ upload, onDiscard }: { upload: UnfinishedUpload; onDiscard: () => void }) {
  const { t } = useLingui()
  const name = shownName(nameOf(upload.path))
  const folder = parentOf(upload.path)
  const sent = formatSize(upload.offset)
  const total = formatSize(upload.length)
  return (
    <li className="device device--upload">
      <FileTile entry={{ name, isDir: false }} />
      <span className="grow">
        <bdi>{name}</bdi>
        <small>
          <bdi>{folder === ROOT ? folderTitle(ROOT) : shownName(folder)}</bdi>
        </small>
        <small className="num">
          <Trans>
            {sent} of {total}
          </Trans>
          {' · '}
          <DateText moment={upload.modified} />
        </small>
      </span>
      {permissions().create && (
        <Button size="sm" tone="line" onClick={() => pickUnfinished(upload)}>
          <Trans>Choose file</Trans>
        </Button>
      )}
      <IconButton
        size="sm"
        tone="danger"
        icon={Trash2}
        label={t`Remove ${name}`}
        onClick={onDiscard}
      />
    </li>
  )
}
