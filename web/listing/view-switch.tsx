import { Trans, useLingui } from '@lingui/react/macro'
import { Upload } from 'lucide-react'
import { focusFallback } from '../lib/page/focus.ts'
import { NARROW, useMedia } from '../lib/page/media.ts'
import { chooseView } from '../operations/choose-view.ts'
import { currentContext } from '../operations/commands/context.ts'
import { keysOf, menuEntries } from '../operations/commands/menus.ts'
import { actionOf } from '../operations/commands/registry.ts'
import { notHere } from '../operations/commands/types.ts'
import { setPref } from '../state/prefs.ts'
import { ownAbilities } from '../state/rights.ts'
import { Button } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { Segmented } from '../ui/toggle.tsx'
import { useColumnView } from './use-columns.ts'
import { useAbilities, useListing } from './use-listing.ts'

const views = [
  ['list', 'view-list'],
  ['mosaic', 'view-grid'],
  ['mosaic gallery', 'view-gallery'],
  ['columns', 'view-columns'],
] as const

export function ViewSwitch() {
  const { t, i18n } = useLingui()
  const { view } = useListing().shown
  const columns = useColumnView()
  const narrow = useMedia(NARROW)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the switch inside is what is operated
    // biome-ignore lint/a11y/useKeyWithClickEvents: only a pointer needs its focus given back
    <span
      onClick={(event) => {
        // After a click the arrows should move through the files again, not through the views.
        if (event.detail > 0) focusListing()
      }}
    >
      <Segmented
        label={t`View`}
        value={columns ? 'columns' : view}
        onChange={(chosen) =>
          chosen === 'columns' ? setPref('columns', true) : chooseView(chosen)
        }
        options={(narrow ? views.slice(0, -1) : views).map(([value, id]) => {
          const action = actionOf(id)
          const label = i18n._(action.label)
          return { value, label, icon: action.icon, iconOnly: true, shortcut: keysOf(action) }
        })}
      />
    </span>
  )
}

export function UploadButton() {
  const { t } = useLingui()
  const { kind, shown } = useListing()
  const { create } = useAbilities()
  if (!(create || ownAbilities().create) || kind === 'failed') return null
  return (
    <MenuButton
      label={t`Upload`}
      items={() => menuEntries(['upload-files', 'upload-folder', 'take-photo'], currentContext())}
    >
      {(trigger) => (
        <Button
          {...trigger}
          tone="line"
          icon={Upload}
          id="upload-button"
          disabled={shown.folder === null || (!create && notHere())}
        >
          <Trans>Upload</Trans>
        </Button>
      )}
    </MenuButton>
  )
}

/** Gives the keyboard to the listing: to its focused entry, or to the listing as a whole. */
function focusListing(): void {
  // After the change that led here was drawn.
  requestAnimationFrame(() => focusFallback()?.focus({ preventScroll: true }))
}
