// The sidebar: New, the places, pinned folders, storage, the person, version and help. On phones it
// is a drawer.

import { Trans, useLingui } from '@lingui/react/macro'
import {
  ArrowLeft,
  ChevronDown,
  ChevronRight,
  Folder,
  HardDrive,
  Link,
  LogOut,
  type LucideIcon,
  PinOff,
  Plus,
  Settings,
  Trash2,
} from 'lucide-react'
import { type ComponentProps, useEffect, useRef } from 'react'
import { useSnapshot } from 'valtio'
import { boot, canLogOut, hasTrash } from '../lib/boot.ts'
import { formatPercent, formatSize } from '../lib/format.ts'
import { TOUCHED, useMedia } from '../lib/page/media.ts'
import { usePath } from '../lib/page/navigate.ts'
import { onDemandBeside } from '../lib/page/on-demand.tsx'
import { filesHref, readFilesPath } from '../lib/paths.ts'
import { notHere } from '../operations/commands/types.ts'
import { askToLogOut } from '../operations/log-out.ts'
import { toastError } from '../operations/toasts.ts'
import { prefs, setPref, togglePinned } from '../state/prefs.ts'
import { abilitiesIn, ownAbilities, rightsTurn } from '../state/rights.ts'
import { mayShare, session } from '../state/session.ts'
import { slots } from '../state/slots.ts'
import { showUsageOf, usage } from '../state/usage.ts'
import { Avatar } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { FolderGlyph } from '../ui/file-icon.tsx'
import { MenuButton } from '../ui/menu.tsx'
import { ProgressBar } from '../ui/progress.tsx'

const FolderTree = onDemandBeside(
  async () => (await import('./folders/folder-tree.tsx')).FolderTree,
  () => <span className="grow" />,
)

export function Sidebar({ open, onDone }: { open: boolean; onDone: () => void }) {
  const { t } = useLingui()
  const path = usePath()
  const { user } = useSnapshot(session)
  const { folderTree } = useSnapshot(prefs)
  const ref = useRef<HTMLElement>(null)
  const inFiles = path === '/files' || path.startsWith('/files/')
  const inShares = path === '/settings/shares'
  const inTrash = path === '/settings/trash'
  const inSettings = path.startsWith('/settings') && !inShares && !inTrash
  const here = inFiles ? readFilesPath(path) : null

  useEffect(() => {
    if (open) ref.current?.querySelector<HTMLElement>('a, button')?.focus()
  }, [open])

  return (
    <aside
      ref={ref}
      className={open ? 'side is-open col' : 'side col'}
      id="sidebar"
      aria-label={t`Sidebar`}
    >
      {user && <NewButton inFiles={inFiles} here={here} onDone={onDone} />}
      <nav className="side__list stack" aria-label={t`Places`}>
        {user && (
          <>
            <Place to="/files/" icon={Folder} current={inFiles} data-drop-path="/">
              {t`My files`}
            </Place>
            {mayShare(user) && (
              <Place to="/settings/shares" icon={Link} current={inShares}>
                {t`Shared links`}
              </Place>
            )}
            {hasTrash && (
              <Place to="/settings/trash" icon={Trash2} current={inTrash}>
                {t`Trash`}
              </Place>
            )}
            <Place to="/settings/profile" icon={Settings} current={inSettings}>
              {t`Settings`}
            </Place>
          </>
        )}
      </nav>
      {user && <Pins here={here} />}
      {user && <Folders here={here} />}
      <span className={folderTree && user ? undefined : 'grow'} />
      {user && inFiles && <Storage folder={here ?? '/'} />}
      {user && <Person />}
      <Credits />
    </aside>
  )
}

interface PlaceProps extends ComponentProps<'a'> {
  /** Address below the base. */
  to: string
  icon: LucideIcon
  current: boolean
}

function Place({ to, icon: Icon, current, children, ...rest }: PlaceProps) {
  return (
    <a
      className="nav"
      href={boot.BaseURL + to}
      aria-current={current ? 'page' : undefined}
      {...rest}
    >
      <Icon className="i" aria-hidden />
      <span className="trunc">{children}</span>
    </a>
  )
}

function Pins({ here }: { here: string | null }) {
  const { t } = useLingui()
  const { pinned } = useSnapshot(prefs)
  if (pinned.length === 0) return null
  return (
    <>
      <h2 className="eyebrow strong dim">{t`Pinned`}</h2>
      <nav className="side__list stack" aria-label={t`Pinned folders`}>
        {pinned.map((pin) => (
          <div className="side__pin relative" key={pin.path}>
            <a
              className="nav"
              href={filesHref(pin.path, true)}
              data-drop-path={pin.path}
              aria-current={here === pin.path ? 'location' : undefined}
            >
              <FolderGlyph />
              <span className="trunc">
                <bdi className="trunc">{pin.name}</bdi>
              </span>
            </a>
            <IconButton
              className="side__unpin"
              size="sm"
              icon={PinOff}
              label={t`Unpin ${pin.name}`}
              onClick={() => togglePinned(pin.path, pin.name)}
            />
          </div>
        ))}
      </nav>
    </>
  )
}

function Folders({ here }: { here: string | null }) {
  const { folderTree } = useSnapshot(prefs)
  return (
    <>
      <h2 className="eyebrow strong dim">
        <button
          type="button"
          className="side__more row"
          aria-expanded={folderTree}
          onClick={() => setPref('folderTree', !folderTree)}
        >
          <Trans>Folders</Trans>
          <ChevronRight className="i i-xs flip" aria-hidden />
        </button>
      </h2>
      {folderTree && <FolderTree here={here} />}
    </>
  )
}

interface NewButtonProps {
  inFiles: boolean
  here: string | null
  onDone: () => void
}

function NewButton({ inFiles, here, onDone }: NewButtonProps) {
  const { t } = useLingui()
  const { newMenu } = useSnapshot(slots)
  useSnapshot(rightsTurn)
  const { create } = abilitiesIn(here)
  if (!inFiles) {
    return (
      <a className="btn btn--line side__new" href={`${boot.BaseURL}/files/`}>
        <span className="btn__label">
          <ArrowLeft className="i i-sm flip" aria-hidden />
          <Trans>Back to files</Trans>
        </span>
      </a>
    )
  }
  if (!create && !ownAbilities().create) return null
  return (
    <MenuButton
      label={t`New`}
      items={() =>
        (newMenu?.items() ?? []).map((entry) => {
          if (entry === 'line' || 'heading' in entry) return entry
          return {
            ...entry,
            onSelect: () => {
              onDone()
              entry.onSelect()
            },
          }
        })
      }
    >
      {(trigger) => (
        <Button
          {...trigger}
          tone="fill"
          className="side__new"
          icon={Plus}
          endIcon={ChevronDown}
          disabled={!create ? notHere() : !newMenu}
        >
          <Trans>New</Trans>
        </Button>
      )}
    </MenuButton>
  )
}

function Storage({ folder }: { folder: string }) {
  const { t } = useLingui()
  const { current } = useSnapshot(usage)
  useEffect(() => showUsageOf(folder), [folder])
  if (!current || boot.DisableUsedPercentage) return null
  const percent = (current.used / current.total) * 100
  const used = formatSize(current.used)
  const total = formatSize(current.total)
  return (
    <div className="store fs-sm mid stack">
      <div className="store__head row">
        <HardDrive className="i i-sm" aria-hidden />
        <span className="grow">{t`Storage`}</span>
        <span className="num">{formatPercent(percent)}</span>
      </div>
      <ProgressBar
        percent={percent}
        label={t`Storage used`}
        tone={percent >= 95 ? 'bad' : percent >= 85 ? 'warn' : 'accent'}
      />
      <span className="num dim">{t`${used} of ${total}`}</span>
    </div>
  )
}

function Person() {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  if (!user) return null
  return (
    <div className="me row line-top">
      <a className="me__who row grow rounded" href={`${boot.BaseURL}/settings/profile`}>
        <Avatar name={user.username} />
        <span className="grow">
          <span className="trunc me__name">
            <bdi className="trunc">{user.username}</bdi>
          </span>
          {user.perm.admin && <small>{t`Administrator`}</small>}
        </span>
      </a>
      {canLogOut && (
        <IconButton
          size="sm"
          icon={LogOut}
          flipIcon
          id="logout"
          label={t`Sign out`}
          onClick={() => void askToLogOut().catch(toastError)}
        />
      )}
    </div>
  )
}

function Credits() {
  const { t } = useLingui()
  const touched = useMedia(TOUCHED)
  const { help } = useSnapshot(slots)
  const product = `File Browser ${boot.Version}`
  return (
    <div className="credits dim">
      {boot.HelpURL && !boot.DisableExternal ? (
        <a href={boot.HelpURL} target="_blank" rel="noreferrer">
          {product}
        </a>
      ) : (
        <span>{product}</span>
      )}
      {help && (
        <button type="button" onClick={() => help.run()}>
          {touched ? t`Help` : t`Help · F1`}
        </button>
      )}
    </div>
  )
}
