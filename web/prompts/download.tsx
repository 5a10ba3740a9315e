// The archive format for a folder or several entries; the one used last comes first.

import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { FileArchive } from 'lucide-react'
import { useState } from 'react'
import { type ArchiveFormat, archiveEndings, archiveFormats, lastFormat } from '../api/files.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { shownName } from '../lib/paths.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Dialog } from '../ui/dialog.tsx'
import styles from './files.css?url'

await loadStylesheet(styles)

export function DownloadPrompt({
  folder,
  entries,
  isKept = false,
  answer,
}: PromptProps<'download'>) {
  const { t } = useLingui()
  const [first] = useState(lastFormat)
  const formats = [first, ...archiveFormats.filter((format) => format !== first)]
  const notes: Record<ArchiveFormat, string> = {
    zip: t`Opens everywhere`,
    tar: t`Not compressed`,
    targz: t`Common on Linux and macOS`,
    tarbz2: t`Small, slow`,
    tarxz: t`Smallest, slowest`,
    tarlz4: t`Very fast`,
    tarsz: t`Very fast (Snappy)`,
    tarbr: t`Small (Brotli)`,
    tarzst: t`Small and fast (Zstandard)`,
  }
  const [only] = entries
  const what =
    entries.length === 0
      ? folderTitle(folder)
      : entries.length === 1
        ? shownName(only?.name ?? '')
        : plural(entries.length, { one: '# item', other: '# items' })
  return (
    <Dialog
      size="md"
      title={isKept ? <Trans>Compress as</Trans> : <Trans>Download as</Trans>}
      subtitle={<bdi>{what}</bdi>}
      onClose={() => answer(null)}
      answers={null}
    >
      <div className="formats stack">
        {formats.map((format, index) => (
          <button
            key={format}
            type="button"
            className="formats__item row"
            data-autofocus={index === 0 ? '' : undefined}
            data-format={format}
            onClick={() => answer(format)}
          >
            <FileArchive className="i" aria-hidden />
            <span className="formats__name strong">
              <bdi dir="ltr">{archiveEndings[format]}</bdi>
            </span>
            <small>{notes[format]}</small>
          </button>
        ))}
      </div>
    </Dialog>
  )
}
