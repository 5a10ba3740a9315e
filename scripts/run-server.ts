// Starts the built server as a child on our terminal; shared by start and dev.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export function runServer(outDir: string, args: string[], cwd: string): ChildProcess {
  const main = join(outDir, 'server', 'main.cjs')
  return spawn(process.execPath, ['--enable-source-maps', main, ...args], { cwd, stdio: 'inherit' })
}
