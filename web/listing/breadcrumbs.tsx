// The way to the open folder: home and the last three folders; the ones before are in a menu, on tablets all of them.
// The chevrons between them open the folders beside the next one. Every crumb but the last takes drops.

import { useLingui } from '@lingui/react/macro'
import { ChevronRight, Ellipsis, House } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { onDemandBeside } from '../lib/page/on-demand.tsx'
import { filesHref, lineageOf, parentOf, ROOT } from '../lib/paths.ts'
import { openFolder } from '../operations/commands/open-entry.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { prefetchFolder } from '../state/listed-folder.ts'
import { MenuButton } from '../ui/menu.tsx'
import { drag } from './drag/drag-session.ts'

/** With the menu of those before, that makes four segments. */
const SHOWN = 3
const PREFETCH_AFTER_MS = 65

const SiblingsMenu = onDemandBeside(async () => (await import('./siblings-menu.tsx')).SiblingsMenu)

export function Breadcrumbs({ vpath }: { vpath: string }) {
  const { t } = useLingui()
  const dragging = useSnapshot(drag).kind === 'entries'
  const folders = lineageOf(vpath).slice(1)
  const above = folders.slice(0, -1)
  const shown = folders.slice(-SHOWN)
  return (
    <nav
      className={dragging ? 'breadcrumbs grow is-target' : 'breadcrumbs grow'}
      aria-label={t`Breadcrumb`}
    >
      <ol>
        <li>
          <Crumb vpath={ROOT} current={vpath === ROOT}>
            <House className="i" aria-hidden />
            <span className={vpath === ROOT ? 'sr crumb__root' : 'sr'}>{t`My files`}</span>
          </Crumb>
        </li>
        {above.length > 0 && (
          <li
            className={above.length < SHOWN ? 'breadcrumbs__above is-spare' : 'breadcrumbs__above'}
          >
            <Separator />
            <MenuButton
              label={t`Parent folders`}
              items={() =>
                [ROOT, ...above].map((folder) => ({
                  id: folder,
                  label: folderTitle(folder),
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
            <Siblings folder={folder} />
            <Crumb vpath={folder} current={folder === vpath}>
              <bdi className="trunc">{folderTitle(folder)}</bdi>
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

/** Between two crumbs: opens the folders beside the second one. */
function Siblings({ folder }: { folder: string }) {
  const { t } = useLingui()
  const [open, setOpen] = useState<{ anchor: HTMLElement; byKeyboard: boolean } | null>(null)
  const parent = parentOf(folder)
  const label = t`Folders in “${folderTitle(parent)}”`
  return (
    <>
      <button
        type="button"
        className="crumb__sep crumb__beside center"
        aria-label={label}
        data-tip={label}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        onPointerEnter={() => void prefetchFolder(parent)}
        onClick={(event) => {
          const anchor = event.currentTarget
          // A click made by Enter or Space has no click count.
          setOpen(open ? null : { anchor, byKeyboard: event.detail === 0 })
        }}
      >
        <ChevronRight className="i i-sm flip" aria-hidden />
      </button>
      {open && (
        <SiblingsMenu parent={parent} current={folder} {...open} onClose={() => setOpen(null)} />
      )}
    </>
  )
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
