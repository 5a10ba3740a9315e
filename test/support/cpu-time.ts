// Time that this thread worked, whatever else the machine does meanwhile.

/** Milliseconds that synchronous work keeps the processor busy. */
export function cpuMs(work: () => void): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}
