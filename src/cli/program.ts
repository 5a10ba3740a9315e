// Runs the program: words of the command line to a command to an exit code. The only reader of
// process.argv and of settings in process.env, and the only caller of process.exit. What the system
// tells in the environment (PATH and the like) is read where programs are started.
import { homedir } from 'node:os'
import { localStamp } from '../lib/log.ts'
import type { Command } from './command.ts'
import { runCommandLine } from './run.ts'

type SignalListener = (signal: 'stop' | 'reload', name: string) => void

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGQUIT'] as const

function onSignal(listener: SignalListener): () => void {
  let stopping = false
  const stop = (name: string) => {
    // Whoever asks twice does not want to wait for anything, nor for threads, as an exit does.
    if (stopping) endBySignal(name)
    stopping = true
    listener('stop', name)
  }
  const reload = () => listener('reload', 'SIGHUP')
  for (const name of STOP_SIGNALS) process.on(name, stop)
  process.on('SIGHUP', reload)
  return () => {
    for (const name of STOP_SIGNALS) process.off(name, stop)
    process.off('SIGHUP', reload)
  }
}

function endBySignal(name: string): never {
  leaveSignals()
  process.kill(process.pid, name)
  // The first process of a container outlives its own signals.
  process.exit(1)
}

/** From now on they end the process, even one that hangs. */
function leaveSignals(): void {
  for (const name of STOP_SIGNALS) process.removeAllListeners(name)
}

function onStray(listener: (error: unknown) => void): () => void {
  process.on('uncaughtException', listener)
  process.on('unhandledRejection', listener)
  return () => {
    process.off('uncaughtException', listener)
    process.off('unhandledRejection', listener)
  }
}

function homeFolder(): string {
  try {
    return homedir()
  } catch {
    // No HOME and no passwd entry, as in bare containers: there is no such folder to search.
    return ''
  }
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()))
}

/** Runs the command that the process was started with, out of those below `root`, and ends the process with its exit code. */
export async function runProgram(root: Command): Promise<void> {
  // `filebrowser … | head` closes the pipe early: what is left to say has no reader.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  const code = await runCommandLine(root, {
    words: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    home: homeFolder(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    notice: (message) => process.stderr.write(`${localStamp(new Date())} ${message}\n`),
    onSignal,
    onStray,
  })
  await Promise.all([flushed(process.stdout), flushed(process.stderr)])
  leaveSignals()
  process.exit(code)
}
