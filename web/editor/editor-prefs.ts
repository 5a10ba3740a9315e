// How this browser likes its editor: text size, wrapping, line numbers, and which side of a document
// it shows. The text size keeps the key File Browser used.

import { proxy } from 'valtio'
import { storage } from '../lib/storage.ts'

export type EditorMode = 'source' | 'split' | 'preview'

const SIZE_KEY = 'editorFontSize'
const KEY = 'fb-editor'
const DEFAULT_SIZE_PX = 14
const MIN_SIZE_PX = 8
const MAX_SIZE_PX = 40

interface EditorPrefs {
  sizePx: number
  wrap: boolean
  lineNumbers: boolean
  /** Null until chosen: then it depends on the width of the window. */
  mode: EditorMode | null
}

function read(): EditorPrefs {
  const size = Number.parseInt(storage.get(SIZE_KEY) ?? '', 10)
  const stored = (storage.getJson(KEY) ?? {}) as Partial<EditorPrefs>
  return {
    sizePx: Number.isNaN(size) ? DEFAULT_SIZE_PX : clampSize(size),
    wrap: stored.wrap !== false,
    lineNumbers: stored.lineNumbers !== false,
    mode:
      stored.mode === 'source' || stored.mode === 'split' || stored.mode === 'preview'
        ? stored.mode
        : null,
  }
}

function clampSize(px: number): number {
  return Math.min(MAX_SIZE_PX, Math.max(MIN_SIZE_PX, px))
}

export const editorPrefs = proxy(read())

export function changeTextSize(stepPx: number): void {
  editorPrefs.sizePx = clampSize(editorPrefs.sizePx + stepPx)
  storage.set(SIZE_KEY, String(editorPrefs.sizePx))
}

export function setEditorPref<K extends 'wrap' | 'lineNumbers' | 'mode'>(
  name: K,
  value: EditorPrefs[K],
): void {
  editorPrefs[name] = value
  const { wrap, lineNumbers, mode } = editorPrefs
  storage.set(KEY, JSON.stringify({ wrap, lineNumbers, mode }))
}
