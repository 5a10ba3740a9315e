// What phones have instead of bars: title and buttons in the header, the round New button, the command
// bar at the lower edge.

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import {
  Ellipsis,
  EllipsisVertical,
  Images,
  LayoutGrid,
  List,
  ListChecks,
  Plus,
  Search,
  X,
} from 'lucide-react'
import { PhoneBar } from '../layout/phone-bar.tsx'
import { queryOf } from '../lib/paths.ts'
import { chooseView } from '../operations/choose-view.ts'
import { currentContext, folderContext } from '../operations/commands/context.ts'
import {
  folderMenu,
  menuEntries,
  newMenu,
  phoneBar,
  phoneMore,
} from '../operations/commands/menus.ts'
import { actionOf, runAction } from '../operations/commands/registry.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { shownFolder } from '../state/listing.ts'
import { ownAbilities } from '../state/rights.ts'
import { clearSelection, toggleAll } from '../state/selection.ts'
import { IconButton } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { PhoneActions } from './toolbar.tsx'
import { useAbilities, useListing, useSelection } from './use-listing.ts'

const nextView = {
  list: { view: 'mosaic', icon: LayoutGrid },
  mosaic: { view: 'mosaic gallery', icon: Images },
  'mosaic gallery': { view: 'list', icon: List },
} as const

export function PhoneHeader() {
  const { t } = useLingui()
  const { paths, mode } = useSelection()
  const { kind, vpath, shown } = useListing()
  if (paths.size > 0 || mode) {
    const count = paths.size
    return (
      <PhoneBar title={plural(count, { one: '# selected', other: '# selected' })}>
        <IconButton
          className="phone-clear"
          icon={X}
          label={t`Clear selection`}
          onClick={clearSelection}
        />
        <IconButton
          icon={ListChecks}
          label={t`Select all`}
          onClick={() => toggleAll(shownFolder().visible)}
        />
      </PhoneBar>
    )
  }
  const next = nextView[shown.view]
  return (
    <PhoneBar title={folderTitle(vpath)}>
      <IconButton icon={Search} label={t`Search`} onClick={() => runAction('palette')} />
      {kind !== 'failed' && (
        <>
          {queryOf(vpath) === null && (
            <IconButton
              icon={next.icon}
              label={t`Switch view`}
              onClick={() => chooseView(next.view)}
            />
          )}
          <MenuButton
            label={t`More`}
            items={() => menuEntries([...folderMenu, '|', 'filter'], folderContext())}
          >
            {(trigger) => (
              <IconButton
                {...trigger}
                className="folder-more"
                icon={EllipsisVertical}
                label={t`More`}
                disabled={kind === 'loading'}
              />
            )}
          </MenuButton>
        </>
      )}
    </PhoneBar>
  )
}

export function PhoneFoot() {
  const { t } = useLingui()
  const { paths, mode } = useSelection()
  const { kind } = useListing()
  useAbilities()
  const context = currentContext()
  if (kind !== 'folder' && kind !== 'loading') return null
  if (paths.size > 0) {
    return (
      <div className="bbar" role="toolbar" aria-label={t`Selection`} id="file-selection">
        <PhoneActions plan={phoneBar.map(actionOf)} context={context} />
        <MenuButton label={t`More`} items={() => menuEntries(phoneMore, currentContext())}>
          {(trigger) => (
            <button type="button" className="bbar__item mid stack" {...trigger}>
              <Ellipsis className="i i-lg" aria-hidden />
              <span>{t`More`}</span>
            </button>
          )}
        </MenuButton>
      </div>
    )
  }
  if (!(context.can.create || ownAbilities().create) || mode || context.isSearch) return null
  return (
    <MenuButton label={t`New`} items={() => menuEntries(newMenu, currentContext())}>
      {(trigger) => (
        <button
          type="button"
          className="fab center"
          aria-label={t`New`}
          {...trigger}
          onClick={kind === 'folder' ? trigger.onClick : undefined}
          aria-disabled={kind === 'loading' || undefined}
        >
          <Plus className="i" aria-hidden />
        </button>
      )}
    </MenuButton>
  )
}
