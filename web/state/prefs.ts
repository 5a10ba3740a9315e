// Preferences that belong to this browser, such as theme and sizes, and the folders that an account has
// pinned in it.

import { proxy } from 'valtio'
import { subscribeKey } from 'valtio/utils'
import { boot } from '../lib/boot.ts'
import { isWithin } from '../lib/paths.ts'
import { storage } from '../lib/storage.ts'
import { ownKey, session } from './session.ts'

export type ThemeChoice = 'system' | 'light' | 'dark'

export interface Pinned {
  path: string
  name: string
}

interface Prefs {
  theme: ThemeChoice
  /** Of the account that is signed in. */
  pinned: Pinned[]
  shellHeightPx: number
  details: boolean
  /** Rows of the list are lower, for a mouse. */
  compactRows: boolean
  /** The tree of folders in the sidebar is open. */
  folderTree: boolean
  /** Folders are shown side by side where there is room, whatever view they have otherwise. */
  columns: boolean
}

/** The script in the page's head reads it before the first paint, so it has a key of its own. */
const THEME_KEY = 'fb-theme'
const KEY = `fb-prefs${boot.BaseURL}`
const PINNED_KEY = 'fb-pinned'

const defaults: Prefs = {
  theme: 'system',
  pinned: [],
  shellHeightPx: 300,
  details: false,
  compactRows: false,
  folderTree: false,
  columns: false,
}

function read(): Prefs {
  const theme = storage.get(THEME_KEY)
  return {
    ...defaults,
    ...(storage.getJson(KEY) as Partial<Prefs> | null),
    pinned: readPinned(),
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
  }
}

function readPinned(): Pinned[] {
  if (session.user === null) return []
  const key = ownKey(PINNED_KEY)
  // Earlier they were kept with the rest, for whoever used the browser: they go to the first to come.
  const { pinned: shared, ...rest } = (storage.getJson(KEY) ?? {}) as Partial<Prefs>
  if (shared !== undefined) {
    if (storage.get(key) === null) storage.set(key, JSON.stringify(shared))
    storage.set(KEY, JSON.stringify(rest))
  }
  const pinned = storage.getJson(key)
  return Array.isArray(pinned) ? pinned.filter(isPinned) : []
}

function isPinned(value: unknown): value is Pinned {
  const { path, name } = (value ?? {}) as Partial<Pinned>
  return typeof path === 'string' && typeof name === 'string'
}

export const prefs = proxy<Prefs>(read())

export function setPref<K extends Exclude<keyof Prefs, 'theme'>>(name: K, value: Prefs[K]): void {
  prefs[name] = value
  save()
}

function save(): void {
  const { theme: _, pinned, ...rest } = prefs
  storage.set(KEY, JSON.stringify(rest))
  if (session.user !== null) storage.set(ownKey(PINNED_KEY), JSON.stringify(pinned))
}

let pinnedBy = session.user?.id
subscribeKey(
  session,
  'user',
  (user) => {
    if (user?.id === pinnedBy) return
    pinnedBy = user?.id
    prefs.pinned = readPinned()
  },
  true,
)

export function isPinnedPath(path: string): boolean {
  return prefs.pinned.some((pin) => pin.path === path)
}

/** Adds the folder at the end, or takes it away when it is there. */
export function togglePinned(path: string, name: string): void {
  const without = prefs.pinned.filter((pin) => pin.path !== path)
  setPref('pinned', without.length < prefs.pinned.length ? without : [...without, { path, name }])
}

/** A renamed or moved folder keeps its pin, and so do the folders below it. */
export function movePinned(from: string, to: string): void {
  // Told of every file that moves: nothing is stored for those that no pin depends on.
  if (!prefs.pinned.some((pin) => isWithin(from, pin.path))) return
  const name = to.slice(to.lastIndexOf('/') + 1)
  const next = prefs.pinned.map((pin) => {
    if (pin.path === from) return { path: to, name }
    return isWithin(from, pin.path)
      ? { path: to + pin.path.slice(from.length), name: pin.name }
      : { ...pin }
  })
  setPref('pinned', next)
}

/** Takes away the pins of a deleted folder and of what was below it. */
export function dropPinned(path: string): void {
  const next = prefs.pinned.filter((pin) => !isWithin(path, pin.path))
  if (next.length !== prefs.pinned.length) setPref('pinned', next)
}

const dark = globalThis.matchMedia?.('(prefers-color-scheme: dark)')
let instanceTheme = boot.Theme

/** The theme in force: own choice, else the instance's, else the system's. */
export function activeTheme(): 'light' | 'dark' {
  if (prefs.theme !== 'system') return prefs.theme
  if (instanceTheme === 'light' || instanceTheme === 'dark') return instanceTheme
  return dark?.matches ? 'dark' : 'light'
}

export function setTheme(choice: ThemeChoice): void {
  prefs.theme = choice
  if (choice === 'system') storage.remove(THEME_KEY)
  else storage.set(THEME_KEY, choice)
  applyTheme()
}

/** Takes over a theme of the instance that was saved just now. */
export function setInstanceTheme(theme: string): void {
  instanceTheme = theme
  applyTheme()
}

/** Marks the root element; class names `light` and `dark` are there for an existing custom.css. */
export function applyTheme(): void {
  const theme = activeTheme()
  const root = document.documentElement
  root.dataset.theme = theme
  root.classList.toggle('dark', theme === 'dark')
  root.classList.toggle('light', theme === 'light')
  paintFrame()
}

/** The browser's own frame is as the page, unless the instance has a colour. */
function paintFrame(): void {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]')
  if (meta && boot.Color === '') meta.content = getComputedStyle(document.body).backgroundColor
}

dark?.addEventListener('change', applyTheme)
