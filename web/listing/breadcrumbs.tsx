// The way to the open folder: home and the last three folders; the ones before are in a menu.
// Every crumb but the last takes drops.

import { useLingui } from '@lingui/react/macro'
import { ChevronRight, Ellipsis, House } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { filesHref, lineageOf, nameOf, ROOT, shownName } from '../lib/paths.ts'
import { openFolder } from '../operations/commands/open-entry.ts'
import { prefetchFolder } from '../state/listed-folder.ts'
import { MenuButton } from '../ui/menu.tsx'
import { drag } from './drag/drag-session.ts'

/** With the menu of those before, that makes four segments. */
const SHOWN = 3
const PREFETCH_AFTER_MS = 65

export function Breadcrumbs({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const dragging = useSnapshot(drag).kind === 'entries'
  const folders = lineageOf(vpath).slice(1)
  const hidden = folders.slice(0, Math.max(0, folders.length - SHOWN))
  const shown = folders.slice(hidden.length)
  return (
    <nav
      className={dragging ? 'breadcrumbs grow is-target' : 'breadcrumbs grow'}
      aria-label={t`Breadcrumb`}
    >
      <ol>
        <li>
          <Crumb vpath={ROOT} current={vpath === ROOT}>
            <House className="i" aria-hidden />
            <span className="sr">{t`My files`}</span>
          </Crumb>
        </li>
        {hidden.length > 0 && (
          <li className="breadcrumbs__above">
            <Separator />
            <MenuButton
              label={t`Parent folders`}
              items={() =>
                hidden.map((folder) => ({
                  id: folder,
                  label: shownName(nameOf(folder)),
                  onSelect: () => openFolder(folder),
                }))
              }
            >
              {(trigger) => (
                <button
                  type="button"
                  className="crumb nowrap mid"
                  aria-label={t`Parent folders`}
                  data-tip={t`Parent folders`}
                  {...trigger}
                >
                  <Ellipsis className="i i-sm" aria-hidden />
                </button>
              )}
            </MenuButton>
          </li>
        )}
        {shown.map((folder) => (
          <li key={folder}>
            <Separator />
            <Crumb vpath={folder} current={folder === vpath}>
              <bdi className="trunc">{shownName(nameOf(folder))}</bdi>
            </Crumb>
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Separator() {
  return <ChevronRight className="i i-sm crumb__sep flip" aria-hidden />
}

interface CrumbProps {
  vpath: string
  current: boolean
  children: React.ReactNode
}

function Crumb({ vpath, current, children }: CrumbProps) {
  const [hovered, setHovered] = useState(false)
  useEffect(() => {
    if (!hovered || current) return
    const timer = setTimeout(() => void prefetchFolder(vpath), PREFETCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [hovered, current, vpath])
  return (
    <a
      className="crumb nowrap mid"
      href={filesHref(vpath, true)}
      aria-current={current ? 'page' : undefined}
      data-drop-path={vpath}
      draggable={false}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      {children}
    </a>
  )
}
