// The settings: a menu of pages, the open page, and the save bar below them.

import { Trans, useLingui } from '@lingui/react/macro'
import {
  ChevronRight,
  FolderKey,
  History,
  Link,
  type LucideIcon,
  Network,
  SlidersHorizontal,
  Trash2,
  Undo2,
  UserRound,
  UsersRound,
} from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { PhoneBar } from '../layout/phone-bar.tsx'
import { boot, hasHistory, hasTrash, hasVersions } from '../lib/boot.ts'
import { PHONE, useMedia } from '../lib/page/media.ts'
import { go, usePath } from '../lib/page/navigate.ts'
import { onDemandAtOnce } from '../lib/page/on-demand.tsx'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { useTitle } from '../lib/page/title.ts'
import { mayShare, session } from '../state/session.ts'
import { ActivityPage } from './activity/activity.tsx'
import { VisitsPage } from './activity/visits.tsx'
import { GlobalPage } from './global.tsx'
import { BarPlace } from './parts.tsx'
import { ProfilePage } from './profile.tsx'
import styles from './settings.css?url'
import { SharesPage } from './shares.tsx'
import { UserPage } from './users/user.tsx'
import { UsersPage } from './users/users.tsx'

// Settings are rarely opened: their style sheet is not part of the first screen's.
await loadStylesheet(styles)

const TrashPage = onDemandAtOnce(async () => (await import('./kept/trash.tsx')).TrashPage)
const HistoryPage = onDemandAtOnce(async () => (await import('./kept/history.tsx')).HistoryPage)
const AccessPage = onDemandAtOnce(async () => (await import('./access/pages.tsx')).AccessPage)

interface Page {
  path: string
  label: string
  icon: LucideIcon
  allowed: boolean
  /** What stands below its address for one of those that it lists. */
  ids?: RegExp
  content: (id?: string) => ReactNode
}

const NEW_OR_NUMBER = /^(new|\d+)$/

/** `onName` hears what the one that is shown is called. */
function usePages(onName: (name: string) => void): Page[] {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const admin = user?.perm.admin === true
  return [
    {
      path: '/settings/profile',
      label: t`Profile`,
      icon: UserRound,
      allowed: true,
      content: () => <ProfilePage />,
    },
    {
      path: '/settings/shares',
      label: t`Shared links`,
      icon: Link,
      allowed: mayShare(user),
      ids: /^[\w-]+$/,
      content: (hash) => (hash ? <VisitsPage hash={hash} onName={onName} /> : <SharesPage />),
    },
    {
      path: '/settings/trash',
      label: t`Trash`,
      icon: Trash2,
      allowed: hasTrash || hasVersions,
      content: () => <TrashPage />,
    },
    {
      path: '/settings/history',
      label: t`History`,
      icon: Undo2,
      allowed: hasHistory,
      content: () => <HistoryPage />,
    },
    {
      path: '/settings/global',
      label: t`Global settings`,
      icon: SlidersHorizontal,
      allowed: admin,
      content: () => <GlobalPage />,
    },
    {
      path: '/settings/users',
      label: t`User management`,
      icon: UsersRound,
      allowed: admin,
      ids: NEW_OR_NUMBER,
      content: (id) => (id ? <UserPage id={id} onName={onName} /> : <UsersPage />),
    },
    {
      path: '/settings/groups',
      label: t`Groups`,
      icon: Network,
      allowed: admin,
      ids: NEW_OR_NUMBER,
      content: (id) => <AccessPage what="groups" id={id} onName={onName} />,
    },
    {
      path: '/settings/folders',
      label: t`Folders`,
      icon: FolderKey,
      allowed: admin,
      ids: /^(new|record)$/,
      content: (id) => <AccessPage what="folders" id={id} onName={onName} />,
    },
    {
      path: '/settings/activity',
      label: t`Activity`,
      icon: History,
      allowed: admin,
      content: () => <ActivityPage />,
    },
  ]
}

export function SettingsScreen() {
  const { t } = useLingui()
  const path = usePath().replace(/\/+$/, '')
  const { user } = useSnapshot(session)
  const [bar, setBar] = useState<HTMLElement | null>(null)
  const [name, setName] = useState('')
  const phone = useMedia(PHONE)
  const pages = usePages(setName)
  const [, above = '', id = ''] = /^(\/settings\/[a-z]+)\/([^/]+)$/.exec(path) ?? []
  const page =
    pages.find((each) => each.path === path) ??
    pages.find((each) => each.path === above && each.ids?.test(id))
  // What is no page of the settings is a file, like any other address.
  const refused = page === undefined ? `/files${path}` : page.allowed ? null : '/403'
  useTitle(id ? name : (page?.label ?? ''), t`Settings`)

  const menu = useRef<HTMLElement>(null)
  // On phones the menu is a row that scrolls; the open page has to be in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is the trigger
  useEffect(() => {
    const row = menu.current
    if (!row || row.scrollWidth <= row.clientWidth) return
    row.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])

  useEffect(() => {
    if (user && refused) void go(refused, { replace: true, force: true })
  }, [user, refused])
  if (!user || !page || refused) return null

  const title = id ? name || page.label : t`Settings`
  return (
    <>
      <PhoneBar title={title} />
      {phone && <h1 className="sr">{title}</h1>}
      <div className="set__head rigid not-phone">
        {id ? (
          <h1 className="set__title set__crumbs row shrinks">
            <a href={boot.BaseURL + page.path}>{page.label}</a>
            <ChevronRight className="i i-sm flip dim" aria-hidden />
            <bdi className="trunc">{name}</bdi>
          </h1>
        ) : (
          <h1 className="set__title shrinks">
            <Trans>Settings</Trans>
          </h1>
        )}
      </div>
      <div className="set dashboard">
        <nav ref={menu} className="set__menu stack" aria-label={t`Settings`}>
          {pages
            .filter((each) => each.allowed)
            .map(({ path: to, label, icon: Icon }) => (
              <a
                key={to}
                className="nav"
                href={boot.BaseURL + to}
                aria-current={to === page.path ? 'page' : undefined}
              >
                <Icon className="i" aria-hidden />
                <span>{label}</span>
              </a>
            ))}
        </nav>
        <div className="set__page scrolls relative" key={path}>
          <BarPlace value={bar}>{page.content(id || undefined)}</BarPlace>
        </div>
      </div>
      <div className="rigid" ref={setBar} />
    </>
  )
}
