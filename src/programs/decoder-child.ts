// What processes that decode are started with, and what they take.
import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const PAGE_BYTES = 4096

/** 0 where the system does not tell, or the process has gone. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0
  const text = await readFile(`/proc/${pid}/statm`, 'latin1').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES
}

/** Only what loading needs: no passwords and secrets from the server's environment. */
const KEPT =
  /^(PATH|HOME|TMPDIR|TEMP|LANG|SystemRoot|LOCALAPPDATA|MALLOC_ARENA_MAX|XDG_.*|FILEBROWSER_NATIVE.*)$/

export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name)))
}

/** Linux: where there is no memory left, the kernel ends this process rather than the server (proc(5), oom_score_adj). */
export function endFirst({ pid }: ChildProcess): void {
  if (process.platform !== 'linux' || pid === undefined) return
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended, or there is no /proc.
  }
}
