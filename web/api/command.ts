// One command in the shell: a WebSocket that sends each line of output as a message and closes when
// the command has ended. Closing it from here ends the command.

import { encodePath } from '../lib/paths.ts'
import { apiUrl, currentToken, recoverSession } from './client.ts'

export interface RunningCommand {
  stop: () => void
  /** Resolves when it has ended, `opened` false when the server could not be reached. */
  ended: Promise<{ opened: boolean }>
}

/** Runs `line` in `folder`; `onLine` gets every line of output, which may hold colour codes. */
export function runCommand(
  folder: string,
  line: string,
  onLine: (text: string) => void,
): RunningCommand {
  let socket: WebSocket | null = null
  let stopped = false

  const attempt = () =>
    new Promise<boolean>((resolve) => {
      let opened = false
      const path = folder === '/' ? '/' : encodePath(folder)
      const url = new URL(apiUrl(`/command${path}`), location.href)
      url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
      socket = new WebSocket(url)
      socket.onopen = () => {
        opened = true
        socket?.send(line)
      }
      socket.onmessage = (event) => onLine(String(event.data))
      socket.onclose = () => resolve(opened)
    })

  async function run(): Promise<{ opened: boolean }> {
    const token = currentToken()
    let opened = await attempt()
    // A handshake that fails says nothing about the reason; an ended session is the likely one.
    if (!opened && !stopped && (await recoverSession(token))) opened = await attempt()
    return { opened: opened || stopped }
  }

  return {
    ended: run(),
    stop: () => {
      stopped = true
      socket?.close()
    },
  }
}
