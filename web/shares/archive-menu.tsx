// A button that downloads as an archive, and one beside it that offers the other formats.

import { useLingui } from '@lingui/react/macro'
import { ChevronDown, Download } from 'lucide-react'
import { useState } from 'react'
import { type ArchiveFormat, archiveFormats } from '../api/files.ts'
import { storage } from '../lib/storage.ts'
import { Button, type ButtonTone } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'

/** Shared with the downloads of signed-in people, so that a choice holds on both. */
const LAST_FORMAT_KEY = 'fb-archive-format'

const formatSuffixes: Record<ArchiveFormat, string> = {
  zip: '.zip',
  tar: '.tar',
  targz: '.tar.gz',
  tarbz2: '.tar.bz2',
  tarxz: '.tar.xz',
  tarlz4: '.tar.lz4',
  tarsz: '.tar.sz',
  tarbr: '.tar.br',
  tarzst: '.tar.zst',
}

export interface ArchiveMenuProps {
  label: string
  tone: ButtonTone
  onDownload: (format: ArchiveFormat) => void
}

export function ArchiveMenu({ label, tone, onDownload }: ArchiveMenuProps) {
  const { t } = useLingui()
  const [last, setLast] = useState(lastFormat)

  function choose(format: ArchiveFormat) {
    storage.set(LAST_FORMAT_KEY, format)
    setLast(format)
    onDownload(format)
  }

  return (
    <span className="pubsplit">
      <Button tone={tone} icon={Download} onClick={() => onDownload(last)}>
        {label}{' '}
        <bdi dir="ltr" className="pubsplit__suffix">
          {formatSuffixes[last]}
        </bdi>
      </Button>
      <MenuButton
        label={t`Archive format`}
        items={() =>
          archiveFormats.map((format) => ({
            id: format,
            label: formatSuffixes[format],
            checked: format === last,
            onSelect: () => choose(format),
          }))
        }
      >
        {(trigger) => (
          <Button {...trigger} tone={tone} aria-label={t`Choose the archive format`}>
            <ChevronDown className="i i-sm" aria-hidden />
          </Button>
        )}
      </MenuButton>
    </span>
  )
}

function lastFormat(): ArchiveFormat {
  const stored = storage.get(LAST_FORMAT_KEY)
  return archiveFormats.find((format) => format === stored) ?? 'zip'
}
