// The shell panel: a terminal docked at the lower edge, with a handle for its height. One command
// at a time, in the open folder; Ctrl+C ends it.

import { useLingui } from '@lingui/react/macro'
import { Eraser, SquareTerminal, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSnapshot } from 'valtio'
import { type RunningCommand, runCommand } from '../api/command.ts'
import { formatList } from '../lib/format.ts'
import { keyLetter } from '../lib/key-letter.ts'
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
import { Resizer } from './resizer.tsx'
import { BLUE, DIM, PLAIN, RED, Screen } from './screen.ts'

await loadStylesheet(styles)

/** What the server says to a command that is not on the list. */
const REFUSED = 'Command not allowed.'

/** Lines typed so far, oldest first; they stay until the page is left. */
const history: string[] = []

/** The open folder, or the folder of the open file. */
function openFolder(): string {
  const path = readFilesPath('', currentPath()) ?? '/'
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

/** Joins screen, line and commands; lives as long as the panel. Returns what the buttons need. */
function openShell(host: HTMLElement, words: Words) {
  const screen = new Screen(host, words.label)
  const editor = new LineEditor(history)
  let running: RunningCommand | null = null
  let closed = false
  /** From Enter until the next prompt is drawn. */
  let busy = false
  /** Typed meanwhile; it counts when the prompt is back, as in any terminal. */
  let ahead: string[] = []

  const ask = () => {
    if (closed) return
    editor.reset()
    screen.ask(promptFor(openFolder()))
  }

  async function submit() {
    busy = true
    const typed = editor.text
    const line = editor.take().trim()
    screen.commit(typed)
    if (line === 'exit') {
      closeShell()
      return
    }
    if (line === 'clear') screen.clear()
    else if (line !== '') await execute(line)
    ask()
    // The prompt has to be drawn first, the line comes behind it.
    screen.terminal.write('', () => {
      busy = false
      const typedAhead = ahead
      ahead = []
      for (const data of typedAhead) handle(data)
    })
  }

  async function execute(line: string) {
    running = runCommand(openFolder(), line, (text) => {
      if (closed) return
      if (text === REFUSED) {
        const allowed = session.user?.commands ?? []
        screen.print(`${RED}${text}${PLAIN} ${DIM}${words.refused(line, allowed)}${PLAIN}`)
      } else screen.print(text)
    })
    const { opened } = await running.ended
    running = null
    if (!opened && !closed) screen.print(`${RED}${words.unreachable}${PLAIN}`)
  }

  function handle(data: string) {
    if (running && data === '\x03') {
      ahead = []
      screen.print('^C')
      running.stop()
      return
    }
    if (busy) {
      ahead.push(data)
      return
    }
    const event = editor.feed(data)
    if (event === 'submit') void submit()
    else if (event === 'changed') screen.show(editor)
    else if (event === 'clear') clear()
    else if (event === 'interrupt') {
      screen.commit(`${editor.text}^C`)
      ask()
    }
  }

  const onData = screen.terminal.onData(handle)

  screen.terminal.attachCustomKeyEventHandler((event) => {
    // Tab and F6 leave the terminal; a selection is copied rather than ending the command.
    if (event.key === 'Tab' || event.key === 'F6') return false
    const copies = (event.ctrlKey || event.metaKey) && keyLetter(event) === 'C'
    if (copies && screen.terminal.hasSelection()) return false
    return !((event.ctrlKey || event.metaKey) && keyLetter(event) === 'V')
  })

  function clear() {
    screen.clear()
    if (running) return
    screen.ask(promptFor(openFolder()))
    screen.terminal.write('', () => screen.show(editor))
  }

  const sizes = new ResizeObserver(() => {
    screen.fit()
    if (!running) screen.show(editor)
  })
  screen.fit()
  sizes.observe(host)
  ask()
  screen.focus()

  return {
    clear: () => {
      clear()
      screen.focus()
    },
    /** The folder changed: the prompt says so, what is typed stays. */
    moved: () => {
      if (running) return
      screen.ask(`\r\x1b[2K${promptFor(openFolder())}`)
      screen.terminal.write('', () => screen.show(editor))
    },
    close: () => {
      closed = true
      running?.stop()
      sizes.disconnect()
      onData.dispose()
      screen.dispose()
    },
  }
}

export function ShellPanel() {
  const { t } = useLingui()
  const { shellHeightPx } = useSnapshot(prefs)
  const isFile = useSnapshot(listing).phase.kind === 'file'
  const path = usePath()
  const host = useRef<HTMLDivElement>(null)
  const shell = useRef<ReturnType<typeof openShell> | null>(null)
  const [heightPx, setHeightPx] = useState(shellHeightPx)
  const at = readFilesPath('', path) ?? '/'
  const name = nameOf(isFile ? parentOf(at) : at) || t`My files`

  const words = useRef<Words | null>(null)
  words.current = {
    label: t`Shell`,
    unreachable: t`The command could not be started. Is the server reachable?`,
    refused: (line, allowed) => {
      if (allowed.length === 0) return t`An administrator has not allowed any commands for you.`
      const sign = signOf(line, allowed)
      if (sign !== '') return t`“${sign}” means nothing here: commands run without a shell.`
      return t`You can run: ${formatList(allowed)}`
    },
  }

  useEffect(() => {
    if (!host.current || !words.current) return
    const opened = openShell(host.current, words.current)
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
      className="term shell"
      aria-label={t`Shell`}
      data-own-keys
      style={{ blockSize: heightPx }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <Resizer
        label={t`Height of the shell`}
        heightPx={heightPx}
        onChange={setHeightPx}
        onDone={(px) => setPref('shellHeightPx', px)}
      />
      <header className="term__head">
        <SquareTerminal className="i i-sm" aria-hidden />
        <span className="grow trunc">
          {t`Shell`} · <bdi>{name}</bdi>
        </span>
        <IconButton
          size="sm"
          icon={Eraser}
          label={t`Clear`}
          onClick={() => shell.current?.clear()}
        />
        <IconButton size="sm" icon={X} label={t`Close shell`} onClick={closeShell} />
      </header>
      <div className="term__body">
        <div className="term__screen" ref={host} />
      </div>
    </section>
  )
}
