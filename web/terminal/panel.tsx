// The shell panel: a terminal docked at the lower edge, with a handle for its height. One command
// at a time, in the open folder; Ctrl+C ends it.

import { useLingui } from '@lingui/react/macro'
import { Eraser, SquareTerminal, X } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { type RunningCommand, runCommand } from '../api/command.ts'
import { formatList } from '../lib/format.ts'
import { keyLetter } from '../lib/page/keys.ts'
import { currentPath, usePath } from '../lib/page/navigate.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { nameOf, parentOf, readFilesPath } from '../lib/paths.ts'
import { listing } from '../state/listing.ts'
import { prefs, setPref } from '../state/prefs.ts'
import { session } from '../state/session.ts'
import { closeShell } from '../state/shell.ts'
import { IconButton } from '../ui/button.tsx'
import { LineEditor } from './line-editor.ts'
import styles from './panel.css?url'
import { BLUE, DIM, PLAIN, RED, Screen } from './screen.ts'

await loadStylesheet(styles)

/** What the server says to a command that is not on the list. */
const REFUSED = 'Command not allowed.'

/** Lines typed so far, oldest first; they stay until the page is left. */
const history: string[] = []

function openFolder(): string {
  const path = readFilesPath(currentPath()) ?? '/'
  return listing.phase.kind === 'file' ? parentOf(path) : path
}

function promptFor(folder: string): string {
  const name = nameOf(folder).replace(/[\x00-\x1f\x7f]/g, '?')
  return `${BLUE}~${name === '' ? '' : `/${name}`} ❯${PLAIN} `
}

/** What stands right behind an allowed program and made it another: `;` in `ls;`. */
function signOf(line: string, allowed: readonly string[]): string {
  const [, program = '', sign = ''] = /^([^\s;&|<>()]+)(&&|\|\||[;&|<>()])/.exec(line) ?? []
  return allowed.includes(program) ? sign : ''
}

interface Words {
  refused: (line: string, allowed: readonly string[]) => string
  unreachable: string
  label: string
}

/** Joins screen, line and commands; lives as long as the panel. */
class Shell {
  readonly #words: Words
  readonly #screen: Screen
  readonly #editor = new LineEditor(history)
  readonly #sizes: ResizeObserver
  #running: RunningCommand | null = null
  #closed = false
  /** From Enter until the next prompt is drawn. */
  #busy = false
  /** Typed meanwhile; it counts when the prompt is back, as in any terminal. */
  #ahead: string[] = []

  constructor(host: HTMLElement, words: Words) {
    this.#words = words
    const screen = new Screen(host, words.label)
    this.#screen = screen
    screen.terminal.onData((data) => this.#handle(data))
    screen.terminal.attachCustomKeyEventHandler((event) => {
      // Tab and F6 leave the terminal; a selection is copied rather than ending the command.
      if (event.key === 'Tab' || event.key === 'F6') return false
      const mod = event.ctrlKey || event.metaKey
      if (mod && keyLetter(event) === 'C' && screen.terminal.hasSelection()) return false
      return !(mod && keyLetter(event) === 'V')
    })
    this.#sizes = new ResizeObserver(() => {
      screen.fit()
      if (!this.#running) screen.show(this.#editor)
    })
    screen.fit()
    this.#sizes.observe(host)
    this.#ask()
    screen.focus()
  }

  clear(): void {
    this.#clear()
    this.#screen.focus()
  }

  moved(): void {
    if (this.#running) return
    this.#prompt('\r\x1b[2K')
  }

  close(): void {
    this.#closed = true
    this.#running?.stop()
    this.#sizes.disconnect()
    this.#screen.dispose()
  }

  #ask(): void {
    if (this.#closed) return
    this.#editor.reset()
    this.#screen.ask(promptFor(openFolder()))
  }

  /** A prompt, and behind it what is typed; it has to be drawn first. */
  #prompt(before = ''): void {
    this.#screen.ask(before + promptFor(openFolder()))
    this.#screen.terminal.write('', () => this.#screen.show(this.#editor))
  }

  async #submit(): Promise<void> {
    this.#busy = true
    const typed = this.#editor.text
    const line = this.#editor.take().trim()
    this.#screen.commit(typed)
    if (line === 'exit') {
      closeShell()
      return
    }
    if (line === 'clear') this.#screen.clear()
    else if (line !== '') await this.#execute(line)
    this.#ask()
    // The prompt has to be drawn first, the line comes behind it.
    this.#screen.terminal.write('', () => {
      this.#busy = false
      for (const data of this.#ahead.splice(0)) this.#handle(data)
    })
  }

  async #execute(line: string): Promise<void> {
    const screen = this.#screen
    this.#running = runCommand(openFolder(), line, (text) => {
      if (this.#closed) return
      if (text === REFUSED) {
        const refused = this.#words.refused(line, session.user?.commands ?? [])
        screen.print(`${RED}${text}${PLAIN} ${DIM}${refused}${PLAIN}`)
      } else screen.print(text)
    })
    const { opened } = await this.#running.ended
    this.#running = null
    if (!opened && !this.#closed) screen.print(`${RED}${this.#words.unreachable}${PLAIN}`)
  }

  #handle(data: string): void {
    if (this.#running && data === '\x03') {
      this.#ahead = []
      this.#screen.print('^C')
      this.#running.stop()
      return
    }
    if (this.#busy) {
      this.#ahead.push(data)
      return
    }
    const event = this.#editor.feed(data)
    if (event === 'submit') void this.#submit()
    else if (event === 'changed') this.#screen.show(this.#editor)
    else if (event === 'clear') this.#clear()
    else if (event === 'interrupt') {
      this.#screen.commit(`${this.#editor.text}^C`)
      this.#ask()
    }
  }

  #clear(): void {
    this.#screen.clear()
    if (!this.#running) this.#prompt()
  }
}

export function ShellPanel() {
  const { t } = useLingui()
  const { shellHeightPx } = useSnapshot(prefs)
  const isFile = useSnapshot(listing).phase.kind === 'file'
  const path = usePath()
  const host = useRef<HTMLDivElement>(null)
  const shell = useRef<Shell | null>(null)
  const [heightPx, setHeightPx] = useState(shellHeightPx)
  const at = readFilesPath(path) ?? '/'
  const name = nameOf(isFile ? parentOf(at) : at) || t`My files`

  const words = useRef<Words | null>(null)
  words.current = {
    label: t`Terminal`,
    unreachable: t`The command couldn’t be started. Is the server reachable?`,
    refused: (line, allowed) => {
      if (allowed.length === 0) return t`You don’t have permission to run any commands.`
      const sign = signOf(line, allowed)
      if (sign !== '') return t`“${sign}” isn’t supported: commands run without a shell.`
      return t`You can run: ${formatList(allowed)}`
    },
  }

  useEffect(() => {
    if (!host.current || !words.current) return
    const opened = new Shell(host.current, words.current)
    shell.current = opened
    return () => {
      shell.current = null
      opened.close()
    }
  }, [])

  const shownAt = useRef(path)
  useEffect(() => {
    if (shownAt.current === path) return
    shownAt.current = path
    shell.current?.moved()
  }, [path])

  return (
    <section
      className="term shell col rigid line-top relative"
      aria-label={t`Terminal`}
      data-own-keys
      style={{ blockSize: heightPx }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <Resizer
        label={t`Terminal height`}
        heightPx={heightPx}
        onChange={setHeightPx}
        onDone={(px) => setPref('shellHeightPx', px)}
      />
      <header className="term__head row rigid strong fs-sm">
        <SquareTerminal className="i i-sm" aria-hidden />
        <span className="grow trunc">
          {t`Terminal`} · <bdi>{name}</bdi>
        </span>
        <IconButton
          size="sm"
          icon={Eraser}
          label={t`Clear`}
          onClick={() => shell.current?.clear()}
        />
        <IconButton size="sm" icon={X} label={t`Close terminal`} onClick={closeShell} />
      </header>
      <div className="term__body fills">
        <div className="term__screen" ref={host} />
      </div>
    </section>
  )
}

const STEP_PX = 24
/** A drag moves the edge at most this often: each new height lays the terminal out anew. */
const DRAG_INTERVAL_MS = 32

interface Grab {
  y: number
  heightPx: number
  /** Where the pointer is by now. */
  wantedPx: number
  timer?: ReturnType<typeof setTimeout> | undefined
}

interface ResizerProps {
  label: string
  heightPx: number
  onChange: (heightPx: number) => void
  onDone: (heightPx: number) => void
}

function clampHeight(px: number): number {
  const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
  return Math.round(Math.max(2.25 * em, Math.min(px, window.innerHeight - 4 * em)))
}

function Resizer({ label, heightPx, onChange, onDone }: ResizerProps) {
  const grab = useRef<Grab | null>(null)

  function onPointerDown(event: PointerEvent) {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grab.current = { y: event.clientY, heightPx, wantedPx: heightPx }
  }

  function onPointerMove(event: PointerEvent) {
    const drag = grab.current
    if (!drag) return
    drag.wantedPx = clampHeight(drag.heightPx + drag.y - event.clientY)
    drag.timer ??= setTimeout(() => {
      drag.timer = undefined
      onChange(drag.wantedPx)
    }, DRAG_INTERVAL_MS)
  }

  function onPointerUp() {
    const drag = grab.current
    if (!drag) return
    grab.current = null
    clearTimeout(drag.timer)
    onChange(drag.wantedPx)
    onDone(drag.wantedPx)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step: Record<string, number> = {
      ArrowUp: heightPx + STEP_PX,
      ArrowDown: heightPx - STEP_PX,
      Home: window.innerHeight,
      End: 0,
    }
    const wanted = step[event.key]
    if (wanted === undefined) return
    event.preventDefault()
    const next = clampHeight(wanted)
    onChange(next)
    onDone(next)
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a line between two panes that moves is no <hr>
    <div
      className="term__grip"
      role="separator"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuenow={heightPx}
      aria-valuemin={36}
      aria-valuemax={window.innerHeight - 64}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={onPointerUp}
      onKeyDown={onKeyDown}
    />
  )
}
