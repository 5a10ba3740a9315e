// What the kernel knows about a running process (Linux).
import { readdir, readFile } from 'node:fs/promises'

export async function openDescriptors(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`)).length
}

/** Resident memory in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** Resident memory that is of no file: without the pages of an executable, which all who run it share. In bytes. */
export async function ownBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** The most memory a process ever had resident, in bytes. */
export async function peakMemoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

export async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(
    tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number))
}

/** Watches resident memory, or what else `bytesOf` says, until `stop`, which gives the highest value seen. */
export function watchMemory(pid: number, bytesOf = residentBytes): { stop(): Promise<number> } {
  let peak = 0
  let running = true
  const watching = (async () => {
    while (running) {
      peak = Math.max(peak, await bytesOf(pid).catch(() => 0))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  return {
    stop: async () => {
      running = false
      await watching
      return peak
    },
  }
}

/** Processor time of a process with all its threads, in ms; steps of 10. */
export async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
  // utime and stime, counted behind the name, which may hold anything (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
