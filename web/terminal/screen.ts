// The terminal on the screen: what is printed, the prompt, and the line being typed at its end.

import { FitAddon } from '@xterm/addon-fit'
import { type IMarker, Terminal } from '@xterm/xterm'
import type { LineEditor } from './line-editor.ts'

export const BLUE = '\x1b[38;2;122;171;255m'
export const RED = '\x1b[38;2;255;139;134m'
export const DIM = '\x1b[38;2;140;151;168m'
export const PLAIN = '\x1b[0m'

const theme = {
  background: '#0f1319',
  foreground: '#dfe5ee',
  cursor: '#dfe5ee',
  selectionBackground: '#2f4f87',
  black: '#2a323f',
  red: '#ff8b86',
  green: '#6bd199',
  yellow: '#f0b860',
  blue: '#7aabff',
  magenta: '#f28cc2',
  cyan: '#5cc8da',
  white: '#dfe5ee',
  brightBlack: '#8c97a8',
  brightRed: '#ffaaa6',
  brightGreen: '#8be3b2',
  brightYellow: '#ffd08a',
  brightBlue: '#a5c7ff',
  brightMagenta: '#ffb0d9',
  brightCyan: '#8be0ee',
  brightWhite: '#ffffff',
}

/**
 * The page's policy admits style elements with its nonce only. The terminal makes its own while it
 * opens and cannot be given one, so for that moment new style elements get it here.
 */
function withNonce(open: () => void): void {
  const nonce = document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? ''
  const create = document.createElement
  document.createElement = function createWithNonce(
    this: Document,
    tag: string,
    options?: ElementCreationOptions,
  ) {
    const element = create.call(this, tag, options)
    if (tag === 'style') element.nonce = nonce
    return element
  } as typeof document.createElement
  try {
    open()
  } finally {
    // An own property stood before the inherited method.
    Reflect.deleteProperty(document, 'createElement')
  }
}

/** What was printed in panels before this one; it is shown again when the shell is opened again. */
const transcript: string[] = []
const MOST_TRANSCRIPT = 2000

export class Screen {
  readonly terminal: Terminal
  readonly #fit = new FitAddon()
  #prompt: string | null = null
  #start: IMarker | undefined

  constructor(host: HTMLElement, label: string) {
    const style = getComputedStyle(host)
    this.terminal = new Terminal({
      theme,
      fontFamily: style.getPropertyValue('--mono').trim() || 'monospace',
      fontSize: 13,
      lineHeight: 1.4,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      scrollback: 5000,
      screenReaderMode: true,
    })
    this.terminal.loadAddon(this.#fit)
    withNonce(() => this.terminal.open(host))
    this.terminal.textarea?.setAttribute('aria-label', label)
    for (const line of transcript) this.terminal.writeln(line)
  }

  fit(): void {
    this.#fit.fit()
  }

  print(text: string): void {
    // A carriage return inside a line (progress bars) works; line feeds need one.
    const line = text.replace(/\r?\n/g, '\r\n')
    transcript.push(line)
    if (transcript.length > MOST_TRANSCRIPT) transcript.shift()
    this.terminal.writeln(line + PLAIN)
  }

  /** Shows the prompt; from now on `show` draws the line behind it. */
  ask(prompt: string): void {
    this.#prompt = prompt
    this.terminal.write('', () => {
      this.#start?.dispose()
      this.#start = this.terminal.registerMarker(0)
      this.terminal.write(prompt)
    })
  }

  /** Draws prompt and line anew: the window may have become narrower, the line shorter. */
  show(editor: LineEditor): void {
    const prompt = this.#prompt
    if (prompt === null || !this.#start) return
    const buffer = this.terminal.buffer.active
    const row = Math.max(1, this.#start.line - buffer.baseY + 1)
    const at = `\x1b[${row};1H`
    // Written twice, the second time up to the cursor: so nobody has to count columns of wide or
    // combined characters.
    this.terminal.write(`${at}\x1b[J${prompt}${editor.text}`, () => {
      if (editor.before === editor.text || !this.#start) return
      const again = Math.max(1, this.#start.line - buffer.baseY + 1)
      this.terminal.write(`\x1b[${again};1H${prompt}${editor.before}`)
    })
  }

  /** The line is finished: it becomes part of what was printed. */
  commit(line: string): void {
    transcript.push(`${this.#prompt ?? ''}${line}`)
    this.#prompt = null
    this.terminal.write('\r\n')
  }

  clear(): void {
    transcript.length = 0
    this.terminal.clear()
    this.terminal.write('\x1b[2J\x1b[3J\x1b[H')
  }

  focus(): void {
    this.terminal.focus()
  }

  dispose(): void {
    this.terminal.dispose()
  }
}
