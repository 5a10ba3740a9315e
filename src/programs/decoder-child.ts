// What processes that decode are started with, and what they take.
import { readFile } from 'node:fs/promises'

const PAGE_BYTES = 4096

/** 0 where the system does not tell, or the process has gone. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform !== 'linux') return 0
  const text = await readFile(`/proc/${pid}/statm`, 'latin1').catch(() => '')
  return Number(text.split(' ')[1] ?? 0) * PAGE_BYTES
}

/** Only what loading needs: no passwords and secrets from the server's environment. */
const KEPT = /^(PATH|HOME|TMPDIR|TEMP|LANG|SystemRoot|LOCALAPPDATA|XDG_.*|FILEBROWSER_NATIVE.*)$/

export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => KEPT.test(name)))
}
