// What can be done with what is selected, in the place of the toolbar.

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { ChevronDown, Ellipsis, X } from 'lucide-react'
import { Fragment, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type ArchiveFormat, archiveEndings, archiveFormats } from '../api/files.ts'
import { formatSeries, formatSize } from '../lib/format.ts'
import { announce } from '../lib/page/announce.ts'
import { NARROW, useMedia } from '../lib/page/media.ts'
import { useSize } from '../lib/page/use-size.ts'
import { currentContext } from '../operations/commands/context.ts'
import {
  keysOf,
  menuEntries,
  selectionBar,
  selectionMore,
  selectionStart,
} from '../operations/commands/menus.ts'
import { actionOf } from '../operations/commands/registry.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import {
  type Action,
  type ActionContext,
  notHere,
  standingOf,
} from '../operations/commands/types.ts'
import { clearSelection } from '../state/selection.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { FilterField, sizeOf, useSelectedEntries } from './toolbar.tsx'
import { useAbilities } from './use-listing.ts'

export function SelectionBar() {
  const { t, i18n } = useLingui()
  const entries = useSelectedEntries()
  const bar = useRef<HTMLDivElement>(null)
  // Rights can change under an open page.
  useAbilities()
  const context = currentContext()
  const count = entries.length
  const bytes = sizeOf(entries)
  const wording = useWording(bar, `${count} ${bytes} ${i18n.locale}`)
  useEffect(() => {
    const parts = [plural(count, { one: '# selected', other: '# selected' })]
    if (bytes > 0) parts.push(formatSize(bytes))
    announce(formatSeries(parts))
  }, [count, bytes])
  // Without a selection some would mean the whole folder or the entry with the focus, which is not what
  // this bar is about.
  const fitting = count === 0 ? [] : selectionBar.map(actionOf)
  const shown = fitting.filter((action) => standingOf(action, context) !== 'absent')
  const more = count === 0 ? selectionStart : selectionMore
  return (
    <div
      ref={bar}
      className="tools row selbar rigid fs-md tone-accent"
      role="toolbar"
      aria-label={t`Selection`}
      id="multiple-selection"
    >
      <IconButton
        size="sm"
        icon={X}
        label={t`Clear selection`}
        shortcut={shownKeys('Escape')}
        onClick={clearSelection}
      />
      <strong className="num">{plural(count, { one: '# selected', other: '# selected' })}</strong>
      {bytes > 0 && <span className="selbar__size num">{formatSize(bytes)}</span>}
      <span className="grow" />
      <FilterField folded />
      {shown.map((action, index) => (
        <Fragment key={action.id}>
          <BarAction
            action={action}
            wording={wording}
            disabled={standingOf(action, context) === 'off' && notHere()}
            iconOnly={
              wording === 'icons' || (index > 3 && action.id !== 'delete' && shown.length > 5)
            }
          />
          {action.id === 'download' && <OtherFormats context={context} />}
        </Fragment>
      ))}
      <span className="vr" />
      <MenuButton label={t`More`} items={() => menuEntries(more, currentContext())}>
        {(trigger) => <IconButton {...trigger} size="sm" icon={Ellipsis} label={t`More`} />}
      </MenuButton>
    </div>
  )
}

type Wording = 'full' | 'short' | 'icons'

/** What fits the bar as it is, whatever the language: `content` tells one state of it from another. */
function useWording(bar: RefObject<HTMLElement | null>, content: string): Wording {
  const isNarrow = useMedia(NARROW)
  const state = `${content} ${useSize(bar).width}`
  const [found, setFound] = useState<{ state: string; wording: Wording }>()
  const wording = isNarrow ? 'icons' : found?.state === state ? found.wording : 'full'
  useLayoutEffect(() => {
    const element = bar.current
    if (wording === 'icons' || element === null) return
    if (element.scrollWidth > element.clientWidth)
      setFound({ state, wording: wording === 'full' ? 'short' : 'icons' })
  })
  return wording
}

/** Behind an arrow beside Download, which makes a zip of several things. */
function OtherFormats({ context }: { context: ActionContext }) {
  const { i18n } = useLingui()
  const action = actionOf('download-as')
  if (standingOf(action, context) !== 'on') return null
  const label = i18n._(action.label)
  const download = async (format: ArchiveFormat) => {
    const { folder, selected } = currentContext()
    if (folder === null) return
    const { downloadArchive } = await import('../operations/archives.ts')
    await downloadArchive(folder, selected, format)
  }
  const items = () =>
    archiveFormats.map((format) => ({
      id: format,
      label: archiveEndings[format],
      dir: 'ltr' as const,
      onSelect: () => void download(format),
    }))
  return (
    <MenuButton label={label} items={items}>
      {(trigger) => (
        <IconButton
          {...trigger}
          size="sm"
          className="selbar__formats"
          icon={ChevronDown}
          label={label}
        />
      )}
    </MenuButton>
  )
}

function BarAction({
  action,
  wording,
  disabled,
  iconOnly,
}: {
  action: Action
  wording: Wording
  /** Why it cannot be used. */
  disabled: string | false
  iconOnly: boolean
}) {
  const { i18n } = useLingui()
  const label = i18n._(action.label)
  const shown = wording === 'short' && action.shortLabel ? i18n._(action.shortLabel) : label
  const run = () => void action.run(currentContext())
  const flipIcon = action.flipIcon ?? false
  if (iconOnly) {
    return (
      <IconButton
        size="sm"
        icon={action.icon}
        flipIcon={flipIcon}
        label={label}
        shortcut={keysOf(action)}
        disabled={disabled}
        onClick={run}
      />
    )
  }
  return (
    <Button
      icon={action.icon}
      flipIcon={flipIcon}
      aria-label={label}
      data-tip={shown === label ? undefined : label}
      data-tip-keys={keysOf(action)}
      disabled={disabled}
      onClick={run}
    >
      {shown}
    </Button>
  )
}
