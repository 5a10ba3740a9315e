// Key combinations as text: `Mod+Shift+F`, `Delete`, `Alt+N`. `Mod` is Ctrl, and Cmd on Apple
// machines. Letters compare without case; combinations with Alt by physical key, because Alt changes
// what a key types on many keyboards.

import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
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

const CTRL = msg({ message: 'Ctrl', context: 'key' })

/** As keyboards of the language have it printed: Strg and Umschalt, Maj, Supr. */
const NAMES: Record<string, MessageDescriptor> = {
  Mod: CTRL,
  Ctrl: CTRL,
  Shift: msg({ message: 'Shift', context: 'key' }),
  Delete: msg({ message: 'Del', context: 'key' }),
  Escape: msg({ message: 'Esc', context: 'key' }),
  ' ': msg({ message: 'Space', context: 'key' }),
  PageUp: msg({ message: 'PgUp', context: 'key' }),
  PageDown: msg({ message: 'PgDn', context: 'key' }),
  Home: msg({ message: 'Home', context: 'key' }),
  End: msg({ message: 'End', context: 'key' }),
  Enter: msg({ message: 'Enter', context: 'key' }),
  Click: msg`Click`,
  DoubleClick: msg`Double click`,
}

const ARROWS: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
}

/** The keys as printed on a keyboard, for menus and help, with a space between them: `Ctrl Shift F`. */
export function shownKeys(shortcut: string, apple = isApple()): string {
  const { key } = parse(shortcut)
  const modifiers = MODIFIERS.filter((name) => shortcut.split('+').slice(0, -1).includes(name))
  return [...modifiers, key]
    .map((name) => (apple ? APPLE_SIGNS[name] : undefined) ?? ARROWS[name] ?? nameOf(name))
    .join(' ')
}

/** One key cap: a space within its name does not part it in two. */
function nameOf(key: string): string {
  const name = NAMES[key]
  return name === undefined ? key : i18n._(name).replaceAll(' ', '\u00a0')
}
