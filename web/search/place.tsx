import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronDown } from 'lucide-react'
import { nameOf, ROOT } from '../lib/paths.ts'
import { Chip } from '../ui/badge.tsx'
import { MenuButton } from '../ui/menu.tsx'

interface PlaceProps {
  base: string
  openFolder: string
  onChange: (base: string) => void
}

/** Where it is searched: the open folder, or everything. */
export function Place({ base, openFolder, onChange }: PlaceProps) {
  const { t } = useLingui()
  const name = nameOf(base) || t`My files`
  if (openFolder === ROOT) return null
  return (
    <MenuButton
      label={t`Search in`}
      items={() =>
        [openFolder, ROOT].map((path) => ({
          id: path,
          label: nameOf(path) || t`My files`,
          checked: path === base,
          onSelect: () => onChange(path),
        }))
      }
    >
      {(trigger) => (
        <Chip {...trigger} className="sx__place">
          <span className="trunc">
            <Trans>
              In: <strong>{name}</strong>
            </Trans>
          </span>
          <ChevronDown className="i i-xs" aria-hidden />
        </Chip>
      )}
    </MenuButton>
  )
}
