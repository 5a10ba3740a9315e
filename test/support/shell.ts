// The shell panel's WebSocket as a client sees it.
import WebSocket from 'ws'
import type { TestApp } from './app.ts'
import { withDeadline } from './deadline.ts'

export interface Shell {
  socket: WebSocket
  /** Frames received so far. */
  lines: string[]
  closed: Promise<void>
}

/** Opens the connection for one command in a folder; `options` are those of the WebSocket. */
export async function openShell(
  app: TestApp,
  token: string,
  folder = '/',
  options: WebSocket.ClientOptions = {},
): Promise<Shell> {
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/api/command${folder}`, {
    headers: { 'X-Auth': token },
    ...options,
  })
  const lines: string[] = []
  socket.on('message', (data) => lines.push(String(data)))
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const opened = new Promise<void>((resolve, reject) => {
    socket.on('open', resolve)
    socket.on('error', reject)
  })
  await withDeadline('the opening of the shell', 60_000, opened)
  return { socket, lines, closed }
}

/** Sends one command line and gives what it printed, once the connection has ended. */
export async function runLine(
  app: TestApp,
  token: string,
  line: string,
  folder = '/',
): Promise<string[]> {
  const shell = await openShell(app, token, folder)
  shell.socket.send(line)
  await withDeadline(`the end of ${line}`, 60_000, shell.closed)
  return shell.lines
}
