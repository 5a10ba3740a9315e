// Key combinations as text: `Mod+Shift+F`, `Delete`, `Alt+N`. `Mod` is Ctrl, and Cmd on Apple
// machines. Letters compare without case; combinations with Alt by physical key, because Alt changes
// what a key types on many keyboards.

import { keyLetter } from '../../lib/page/keys.ts'

const MODIFIERS = ['Mod', 'Ctrl', 'Alt', 'Shift'] as const

interface Combination {
  mod: boolean
  alt: boolean
  shift: boolean
  /** As in KeyboardEvent.key, letters in upper case. */
  key: string
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

export function isApple(): boolean {
  return typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform)
}

function parse(text: string): Combination {
  const parts = text.split('+')
  const key = parts.pop() || '+'
  return {
    mod: parts.includes('Mod') || parts.includes('Ctrl'),
    alt: parts.includes('Alt'),
    shift: parts.includes('Shift'),
    key,
  }
}

/** What the key types, and what is printed on it where holding Alt or Shift changes that. */
function keysOf(press: KeyPress): string[] {
  const typed = keyLetter(press)
  const printed = /^(?:Key|Digit)(.)$/.exec(press.code)?.[1]
  if (printed === undefined) return [typed]
  if (press.altKey) return [printed]
  return press.shiftKey && press.code.startsWith('Digit') ? [typed, printed] : [typed]
}

export function matchesShortcut(press: KeyPress, shortcut: string, apple = isApple()): boolean {
  const wanted = parse(shortcut)
  const mod = apple ? press.metaKey : press.ctrlKey
  const other = apple ? press.ctrlKey : press.metaKey
  if (other || mod !== wanted.mod || press.altKey !== wanted.alt) return false
  if (!keysOf(press).includes(wanted.key)) return false
  // `?` and `/` sit on different keys around the world: Shift may be part of typing them.
  const typed = wanted.key.length === 1 && !/[A-Z0-9]/.test(wanted.key)
  return typed || press.shiftKey === wanted.shift
}

const APPLE_SIGNS: Record<string, string> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
  Delete: '⌦',
  Backspace: '⌫',
  Enter: '↵',
}

const SIGNS: Record<string, string> = {
  Mod: 'Ctrl',
  Delete: 'Del',
  Escape: 'Esc',
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
}

/** The keys as printed on a keyboard, for menus and help: `Ctrl Shift F`. */
export function shownKeys(shortcut: string, apple = isApple()): string {
  const { key } = parse(shortcut)
  const modifiers = MODIFIERS.filter((name) => shortcut.split('+').slice(0, -1).includes(name))
  return [...modifiers, key]
    .map((name) => (apple ? APPLE_SIGNS[name] : undefined) ?? SIGNS[name] ?? name)
    .join(' ')
}
