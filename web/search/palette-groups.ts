// What the one search box offers for a text: commands, places, and the best hits of a search of everything.

import { useLingui } from '@lingui/react/macro'
import { Folder, type LucideIcon, Pin, Search } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { SearchHit } from '../../src/api-types.ts'
import { goHref } from '../lib/page/navigate.ts'
import { filesHref, joinPath, nameOf, parentOf, ROOT, shownName } from '../lib/paths.ts'
import { foldForTyping } from '../lib/type-ahead.ts'
import { currentContext } from '../operations/commands/context.ts'
import { keysOf } from '../operations/commands/menus.ts'
import { openFolder, openSearch } from '../operations/commands/open-entry.ts'
import { actions } from '../operations/commands/registry.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { toQuery } from '../operations/search/query.ts'
import { createSearchRun, type SearchState } from '../operations/search/run-search.ts'
import { prefs } from '../state/prefs.ts'
import { recentFolders } from '../state/recent-folders.ts'
import type { IconOf } from '../ui/file-icon.tsx'

const TYPING_PAUSE_MS = 150
/** The search itself has them all. */
const MOST_HITS = 8

export interface Item {
  id: string
  label: string
  note?: string
  keys?: string | undefined
  icon: LucideIcon
  /** Drawn in place of the icon. */
  entry?: IconOf
  flip?: boolean
  run: () => void
}

export interface Group {
  id: string
  title: string
  items: Item[]
}

/** The text as names and labels are compared with it. */
export function wantedOf(text: string): string {
  return foldForTyping(text.replace(/^>/, '').trim())
}

/** A text that begins with `>` means commands alone. `running`: more files may be found. */
export function useGroups(text: string): { groups: Group[]; running: boolean } {
  const { t, i18n } = useLingui()
  const [context] = useState(currentContext)
  const query = text.startsWith('>') ? '' : text.trim()
  const found = useHits(query)
  const groups = useMemo(() => {
    const words = wantedOf(text)
      .split(/\s+/)
      .filter((word) => word !== '')
    const fits = (label: string) => {
      const folded = foldForTyping(label)
      return words.every((word) => folded.includes(word))
    }
    const commands = actions
      .filter((action) => action.id !== 'palette' && action.enabled(context))
      .map((action) => ({ action, label: i18n._(action.label) }))
      .filter(({ label }) => fits(label))
      .map(({ action, label }) => ({
        id: action.id,
        label,
        keys: keysOf(action),
        icon: action.icon,
        flip: action.flipIcon ?? false,
        run: () => void action.run(context),
      }))
    const all: Group[] = [{ id: 'actions', title: t`Actions`, items: commands }]
    if (text.startsWith('>')) return all
    all.push({ id: 'folders', title: t`Go to`, items: placesFor(context.folder, fits) })
    if (query !== '') {
      const searchFor: Item = {
        id: 'search-for',
        label: t`Search for files named “${query}”`,
        keys: shownKeys('Mod+Shift+F'),
        icon: Search,
        run: () => openSearch(query, ROOT),
      }
      const hits = (found?.hits ?? []).slice(0, MOST_HITS).map(itemOf)
      all.push({ id: 'search', title: t`Files and folders`, items: [...hits, searchFor] })
    }
    return all
  }, [text, query, found, context, i18n, t])
  const shown = groups.filter((group) => group.items.length > 0)
  return { groups: shown, running: found?.running === true }
}

/** Pinned folders, then those opened last. */
function placesFor(here: string | null, fits: (label: string) => boolean): Item[] {
  const pinned = prefs.pinned.map((pin) => pin.path)
  return [...pinned, ...recentFolders().filter((path) => !pinned.includes(path))]
    .filter((path) => path !== here && fits(nameOf(path)))
    .map((path) => ({
      id: path,
      label: shownName(nameOf(path)),
      note: folderTitle(parentOf(path)),
      icon: pinned.includes(path) ? Pin : Folder,
      run: () => openFolder(path),
    }))
}

function itemOf(hit: SearchHit): Item {
  const path = joinPath(ROOT, hit.path)
  const name = nameOf(path)
  return {
    id: `hit:${path}`,
    label: shownName(name),
    note: folderTitle(parentOf(path)),
    icon: Folder,
    entry: { name, isDir: hit.dir },
    run: () => void goHref(filesHref(path, hit.dir)),
  }
}

/** What is found everywhere once the person pauses; null before, and for no text. */
function useHits(query: string): SearchState | null {
  const [found, setFound] = useState<SearchState | null>(null)
  const [run] = useState(() => createSearchRun(setFound))
  const sent = toQuery({ text: query, filter: null, matchCase: false })
  useEffect(() => {
    if (sent === '') return run.stop()
    const timer = setTimeout(() => run.start(ROOT, sent), TYPING_PAUSE_MS)
    return () => {
      clearTimeout(timer)
      run.stop()
    }
  }, [run, sent])
  return found?.query === sent && sent !== '' ? found : null
}
