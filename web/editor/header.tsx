import { Trans, useLingui } from '@lingui/react/macro'
import { Code, Ellipsis, Eye, ListTree, Lock, type LucideIcon, Save, Search, X } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { FileInfo } from '../../src/api-types.ts'
import { formatNumber } from '../lib/format.ts'
import { parentOf, segmentsOf } from '../lib/paths.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { MenuButton, type MenuEntry, type MenuItem } from '../ui/menu.tsx'
import { Segmented } from '../ui/toggle.tsx'
import { cursor } from './code-pane.tsx'
import { historyItems, sizeItems, wrapItem } from './editor-menu.ts'
import { type EditorMode, editorPrefs } from './editor-prefs.ts'
import { editor } from './editor-state.ts'

/** Documents that can be shown as something else than their source. */
export type Rendering = 'markdown' | 'json' | null

interface HeaderProps {
  entry: FileInfo
  rendering: Rendering
  mode: EditorMode
  splitFits: boolean
  menu(): readonly MenuEntry[]
  onMode(mode: EditorMode): void
  onFind(): void
  onSave(): void
  onClose(): void
}

export function Header(props: HeaderProps) {
  const { entry, rendering, mode, splitFits, menu, onMode, onFind, onSave, onClose } = props
  const { t } = useLingui()
  const { phase, readOnly, dirty, saving } = useSnapshot(editor)
  const ready = phase === 'ready'
  const codeShown = ready && mode !== 'preview'
  const place = segmentsOf(parentOf(entry.path)).join(' / ')
  return (
    <header className="ed-head row rigid line-bottom">
      <IconButton icon={X} label={t`Close editor`} onClick={onClose} />
      <FileTile entry={entry} />
      <div className="ed-title grow">
        <div className="ed-title__line row shrinks">
          <h1 className="trunc">
            <bdi className="trunc">{entry.name}</bdi>
          </h1>
          {dirty && readOnly === null && (
            <Badge tone="warn">
              <Trans>Unsaved</Trans>
            </Badge>
          )}
          {(phase === 'large' || (ready && readOnly !== null)) && (
            <Badge icon={Lock}>
              <Trans>Read only</Trans>
            </Badge>
          )}
        </div>
        <p className="trunc dim not-phone">
          {place === '' ? <Trans>My files</Trans> : <bdi className="trunc">{place}</bdi>}
        </p>
      </div>
      {ready && (
        <div className="ed-tools" role="toolbar" aria-label={t`Editing`}>
          {codeShown && readOnly === null && <UndoButtons />}
          {codeShown && (
            <IconButton
              icon={Search}
              label={t`Find`}
              shortcut={shownKeys('Mod+F')}
              onClick={onFind}
            />
          )}
          {codeShown && <TextTools />}
          {rendering !== null && (
            <>
              <span className="vr ed-tools__rule" aria-hidden="true" />
              <ModeSwitch rendering={rendering} mode={mode} splitFits={splitFits} onMode={onMode} />
            </>
          )}
        </div>
      )}
      <MenuButton label={t`More`} items={menu}>
        {(trigger) => <IconButton icon={Ellipsis as LucideIcon} label={t`More`} {...trigger} />}
      </MenuButton>
      {ready && readOnly === null && (
        <Button
          tone="fill"
          icon={Save}
          className="ed-save"
          aria-label={t`Save`}
          busy={saving}
          disabled={!dirty}
          data-tip={t`Save`}
          data-tip-keys={shownKeys('Mod+S')}
          onClick={onSave}
        >
          <span className="not-phone">
            <Trans>Save</Trans>
          </span>
        </Button>
      )}
    </header>
  )
}

function TextTools() {
  const { wrap, sizePx } = useSnapshot(editorPrefs)
  const size = formatNumber(sizePx)
  const [smaller, larger] = sizeItems()
  return (
    <span className="ed-tools__wide">
      <span className="vr" aria-hidden="true" />
      <ItemButton item={smaller} />
      <span className="num fs-md mid ed-tools__size" dir="auto">
        <Trans>{size} px</Trans>
      </span>
      <ItemButton item={larger} />
      <ItemButton item={wrapItem({ wrap })} />
    </span>
  )
}

function UndoButtons() {
  const state = useSnapshot(cursor)
  return (
    <span className="ed-tools__wide">
      {historyItems(state).map((item) => (
        <ItemButton key={item.id} item={item} />
      ))}
    </span>
  )
}

function ItemButton({ item }: { item: MenuItem }) {
  return (
    <IconButton
      icon={item.icon as LucideIcon}
      flipIcon={item.flipIcon ?? false}
      label={item.label}
      shortcut={item.shortcut}
      pressed={item.checked}
      disabled={item.disabled}
      onClick={item.onSelect}
    />
  )
}

interface ModeSwitchProps {
  rendering: Exclude<Rendering, null>
  mode: EditorMode
  splitFits: boolean
  onMode(mode: EditorMode): void
}

function ModeSwitch({ rendering, mode, splitFits, onMode }: ModeSwitchProps) {
  const { t } = useLingui()
  const source = { value: 'source' as const, label: t`Source` }
  const split = { value: 'split' as const, label: t`Split` }
  const preview = {
    value: 'preview' as const,
    label: rendering === 'json' ? t`Tree` : t`Preview`,
  }
  const options =
    rendering === 'markdown' && splitFits ? [source, split, preview] : [source, preview]
  const other = mode === 'preview' ? source : preview
  return (
    <>
      <span className="ed-mode not-phone">
        <Segmented label={t`View`} value={mode} onChange={onMode} options={options} />
      </span>
      {/* On phones there is room for one button, to the other side. */}
      <IconButton
        className="ed-mode-turn"
        icon={mode === 'preview' ? Code : rendering === 'json' ? ListTree : Eye}
        label={other.label}
        onClick={() => onMode(other.value)}
      />
    </>
  )
}
