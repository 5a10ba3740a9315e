// Runs command lines inside the test process: same code as the program, streams captured.
import { commandTree } from '../../src/cli/commands.ts'
import { runCommandLine } from '../../src/cli/run.ts'

export interface CliResult {
  code: number
  stdout: string
  stderr: string
}

export interface CliOptions {
  cwd: string
  env?: Record<string, string>
  home?: string
}

/** Runs a command to its end. The notices of stderr carry no time stamp here. */
export async function runCli(words: string[], options: CliOptions): Promise<CliResult> {
  const running = startCli(words, options)
  return { code: await running.ended, ...running.output() }
}

export interface RunningCli {
  ended: Promise<number>
  output(): { stdout: string; stderr: string }
  signal(signal: 'stop' | 'reload', name: string): void
  /** A failure that nobody caught; false when it would end the process. */
  stray(error: unknown): boolean
}

/** Starts a command; for `serve`, which ends when it is told to. */
export function startCli(words: string[], { cwd, env = {}, home = '' }: CliOptions): RunningCli {
  let stdout = ''
  let stderr = ''
  const listeners = new Set<(signal: 'stop' | 'reload', name: string) => void>()
  const strayListeners = new Set<(error: unknown) => void>()
  const ended = runCommandLine(commandTree(), {
    words,
    env,
    cwd,
    home,
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
    notice: (message) => {
      stderr += `${message}\n`
    },
    onSignal: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onStray: (listener) => {
      strayListeners.add(listener)
      return () => strayListeners.delete(listener)
    },
  })
  return {
    ended,
    output: () => ({ stdout, stderr }),
    signal: (signal, name) => {
      for (const listener of listeners) listener(signal, name)
    },
    stray: (error) => {
      for (const listener of strayListeners) listener(error)
      return strayListeners.size > 0
    },
  }
}
