// Moving between screens. Addresses are built and read raw: names are encoded once by paths.ts and
// never decoded by the router.

import { useSyncExternalStore } from 'react'
import type { BaseLocationHook } from 'wouter'
import { boot } from '../boot.ts'
import { closeTopLayer } from './back.ts'

/** Asked before the screen changes; resolves false to stay. One at a time: the newest. */
type LeaveGuard = () => Promise<boolean> | boolean

let guard: LeaveGuard | null = null
/** The question that waits for its answer: who wants to leave meanwhile is answered with it. */
let asking: Promise<boolean> | null = null
/** Where Back and Forward led while that question is open: the last of it counts. */
let wanted: { href: string; state: unknown } | null = null
/** Where we are, to return to when a guard refuses the browser's back button. */
let here = typeof location === 'undefined' ? '' : location.pathname + location.search
let hereState: unknown = globalThis.history?.state ?? null

/**
 * Sets a guard for unsaved work; the browser's own warning on closing the page comes with it. Clear
 * it with the function returned.
 */
export function guardLeaving(next: LeaveGuard): () => void {
  guard = next
  addEventListener('beforeunload', warn)
  return () => {
    if (guard !== next) return
    guard = null
    removeEventListener('beforeunload', warn)
  }
}

function warn(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

interface GoOptions {
  replace?: boolean
  state?: unknown
  /** Does not ask the guard: the caller already did, or nothing can be lost. */
  force?: boolean
}

/**
 * Shows a page of the interface. `path` is without the base URL, encoded and with its query:
 * `/files/a%20b/`. Resolves false when unsaved work kept the screen.
 */
export function go(path: string, options: GoOptions = {}): Promise<boolean> {
  return goHref(boot.BaseURL + path, options)
}

/** As `go`, for an address as links have it: with the base URL. */
export async function goHref(href: string, options: GoOptions = {}): Promise<boolean> {
  if (!options.force && !(await mayLeave())) return false
  if (options.replace) history.replaceState(options.state ?? null, '', href)
  else history.pushState(options.state ?? null, '', href)
  announce('link')
  return true
}

/**
 * Asks the guard about unsaved work ahead of something that ends the screen in another way, such as
 * renaming its file. Resolves false to leave everything as it is.
 */
export async function mayLeave(): Promise<boolean> {
  if (guard === null) return true
  asking ??= Promise.resolve(guard()).finally(() => {
    asking = null
  })
  return asking
}

/** The page is left for good by a way that has asked already: the browser's warning would only repeat it. */
export function dropGuard(): void {
  guard = null
  removeEventListener('beforeunload', warn)
}

/** The address without the base URL: `/files/a%20b/`. */
export function currentPath(): string {
  const { pathname } = location
  const base = boot.BaseURL
  if (base === '') return pathname
  if (pathname === base) return '/'
  return pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
}

/** `link`: by a link or command; `history`: by Back or Forward. */
type Navigation = 'link' | 'history'

const listeners = new Set<() => void>()
let last: Navigation = 'link'

/** Calls back whenever the address changes; the result stops that. */
export function onNavigation(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function announce(how: Navigation): void {
  here = location.pathname + location.search
  hereState = history.state
  last = how
  for (const listener of listeners) listener()
}

export function lastNavigation(): Navigation {
  return last
}

/** The raw path without the base URL; renders anew when it changes. */
export function usePath(): string {
  return useSyncExternalStore(onNavigation, currentPath)
}

/**
 * The address for wouter's `hook` option, without the base URL. The router decodes what it is given:
 * names come through raw because their percent signs are encoded once more.
 */
export const useRawLocation: BaseLocationHook = () => [usePath().replaceAll('%', '%25'), go]

export function useQuery(): URLSearchParams {
  return new URLSearchParams(useSyncExternalStore(onNavigation, () => location.search))
}

/**
 * Handles clicks on plain links of the interface, so that they are real links (middle click, open in
 * a new tab, copy address) without a page load. Installed once.
 */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link?.hasAttribute('href') || link.target || link.hasAttribute('download')) return
    if (link.origin !== location.origin || link.dataset.native !== undefined) return
    const path = link.pathname
    const base = `${boot.BaseURL}/`
    if (!path.startsWith(base) || /^(api|static)\//.test(path.slice(base.length))) return
    event.preventDefault()
    void goHref(path + link.search + link.hash)
  })
  addEventListener('popstate', onPop)
}

/** Back and forward have happened already; a refusing guard puts the address back. */
function onPop(): void {
  if (closeTopLayer()) {
    // The screen has not moved: its entry comes back without the announcement of a new one.
    history.pushState(hereState, '', here)
    return
  }
  if (!guard) {
    announce('history')
    return
  }
  const isAsked = wanted !== null
  wanted = { href: location.pathname + location.search, state: history.state }
  // The screen still shows the old place: give it its address back, then ask.
  history.pushState(null, '', here)
  announce('link')
  if (!isAsked) void leaveForWanted()
}

async function leaveForWanted(): Promise<void> {
  try {
    if (!(await mayLeave()) || wanted === null) return
    const { href, state } = wanted
    await goHref(href, { force: true, state })
  } finally {
    wanted = null
  }
}
