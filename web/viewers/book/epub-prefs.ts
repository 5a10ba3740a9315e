// Size and colours of books, kept in this browser.

import { storage } from '../../lib/storage.ts'
import type { PaperTheme } from '../office/paper.ts'

const PREFS_KEY = 'fb-reader'
/** Per cent of the book's own size. */
export const SIZES = [80, 90, 100, 110, 120, 130, 140, 150, 170, 200]

export interface ReaderPrefs {
  size: number
  theme: PaperTheme
}

export function loadPrefs(): ReaderPrefs {
  const { size = 100, theme = 'light' } = (storage.getJson(PREFS_KEY) ?? {}) as Partial<ReaderPrefs>
  return {
    size: SIZES.includes(size) ? size : 100,
    theme: ['light', 'sepia', 'dark'].includes(theme) ? theme : 'light',
  }
}

export function savePrefs(prefs: ReaderPrefs): void {
  storage.set(PREFS_KEY, JSON.stringify(prefs))
}
