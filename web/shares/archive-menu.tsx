import { useLingui } from '@lingui/react/macro'
import { ChevronDown, Download } from 'lucide-react'
import { useState } from 'react'
import {
  type ArchiveFormat,
  archiveEndings,
  archiveFormats,
  lastFormat,
  rememberFormat,
} from '../api/files.ts'
import { Button, type ButtonTone } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'

export interface ArchiveMenuProps {
  label: string
  tone: ButtonTone
  onDownload: (format: ArchiveFormat) => void
}

export function ArchiveMenu({ label, tone, onDownload }: ArchiveMenuProps) {
  const { t } = useLingui()
  const [last, setLast] = useState(lastFormat)

  function choose(format: ArchiveFormat) {
    rememberFormat(format)
    setLast(format)
    onDownload(format)
  }

  return (
    <span className="pubsplit">
      <Button tone={tone} icon={Download} onClick={() => onDownload(last)}>
        {label}{' '}
        <bdi dir="ltr" className="pubsplit__suffix">
          {archiveEndings[last]}
        </bdi>
      </Button>
      <MenuButton
        label={t`Archive format`}
        items={() =>
          archiveFormats.map((format) => ({
            id: format,
            label: archiveEndings[format],
            dir: 'ltr' as const,
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
