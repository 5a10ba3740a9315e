import { msg } from '@lingui/core/macro'
import {
  CircleQuestionMark,
  Folder,
  FolderKey,
  Link,
  Network,
  PanelsTopLeft,
  Search,
  Settings,
  SquareTerminal,
  Trash2,
  Undo2,
  Users,
} from 'lucide-react'
import { hasHistory, hasTrash } from '../../lib/boot.ts'
import { go } from '../../lib/page/navigate.ts'
import { canUseShell, mayShare } from '../../state/session.ts'
import { shell, toggleShell } from '../../state/shell.ts'
import { hasPrompt, openPrompt } from '../prompts.ts'
import { canUndo, undoLast } from '../undo.ts'
import { openSearch } from './open-entry.ts'
import type { Action } from './types.ts'

export const pageActions = [
  {
    id: 'search',
    label: msg`Search`,
    icon: Search,
    shortcuts: ['Mod+Shift+F'],
    everywhere: true,
    enabled: () => true,
    run: () => openSearch(''),
  },
  {
    id: 'palette',
    label: msg`Search and commands`,
    icon: Search,
    shortcuts: ['Mod+K'],
    everywhere: true,
    enabled: () => true,
    async run() {
      if (!hasPrompt('palette')) await openPrompt('palette', {})
    },
  },
  {
    id: 'help',
    label: msg`Keyboard shortcuts`,
    icon: CircleQuestionMark,
    shortcuts: ['F1', '?'],
    everywhere: true,
    enabled: () => true,
    async run() {
      if (!hasPrompt('help')) await openPrompt('help', {})
    },
  },
  {
    id: 'next-region',
    label: msg`Next section`,
    icon: PanelsTopLeft,
    shortcuts: ['F6'],
    everywhere: true,
    enabled: () => true,
    run: focusNextRegion,
  },
  {
    id: 'undo',
    label: msg`Undo`,
    icon: Undo2,
    shortcuts: ['Mod+Z'],
    everywhere: true,
    enabled: canUndo,
    run: undoLast,
  },
  {
    id: 'shell',
    // The command closes it, too.
    get label() {
      return shell.open ? msg`Close terminal` : msg`Open in terminal`
    },
    icon: SquareTerminal,
    enabled: ({ folder }) => folder !== null && canUseShell(),
    run: toggleShell,
  },
  toPage('go-files', msg`My files`, Folder, '/files/'),
  toPage('go-shares', msg`Shared links`, Link, '/settings/shares', () => mayShare()),
  toPage('go-trash', msg`Trash`, Trash2, '/settings/trash', () => hasTrash),
  toPage('go-history', msg`History`, Undo2, '/settings/history', () => hasHistory),
  toPage('go-settings', msg`Settings`, Settings, '/settings/profile'),
  toPage('go-users', msg`Users`, Users, '/settings/users', ({ can }) => can.admin),
  toPage('go-groups', msg`Groups`, Network, '/settings/groups', ({ can }) => can.admin),
  toPage('go-folders', msg`Folders`, FolderKey, '/settings/folders', ({ can }) => can.admin),
] as const satisfies readonly Action[]

function toPage<ID extends string>(
  id: ID,
  label: Action['label'],
  icon: Action['icon'],
  path: string,
  enabled: Action['enabled'] = () => true,
) {
  return { id, label, icon, everywhere: true, enabled, run: () => void go(path) } as const
}

/** In reading order; those that are not on the screen are passed over. */
const REGIONS = [
  '#header',
  '#sidebar',
  '.crumbbar',
  '.tools',
  '#listing',
  '#details',
  '.term',
  '.up',
]

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), [tabindex="0"]'

function focusNextRegion(): void {
  const regions = REGIONS.flatMap((selector) => {
    const region = document.querySelector<HTMLElement>(selector)
    return region !== null && region.getClientRects().length > 0 ? [region] : []
  })
  const at = regions.findIndex((region) => region.contains(document.activeElement))
  for (let step = 1; step <= regions.length; step++) {
    const region = regions[(at + step) % regions.length]
    const target = region === undefined ? null : firstIn(region)
    if (target === null) continue
    target.focus()
    if (document.activeElement === target) return
  }
}

function firstIn(region: HTMLElement): HTMLElement | null {
  // In the listing that is the entry with the tab stop, in the shell the line that is typed.
  return (
    region.querySelector<HTMLElement>('[data-index][tabindex="0"], .xterm-helper-textarea') ??
    region.querySelector<HTMLElement>(FOCUSABLE) ??
    (region.tabIndex >= 0 ? region : null)
  )
}
