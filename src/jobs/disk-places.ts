// How many jobs work on a disk at a time. Who waits gets a place in turn by accounts.
import { readFile } from 'node:fs/promises'

/** Device numbers of the disks that a piece of work reads and writes. */
export type Devices = readonly bigint[]

export interface DiskPlaces {
  /** Waits for a place on all of these disks at once; call the result to leave. Rejects with the signal's reason. */
  take(owner: number, devices: Devices, signal: AbortSignal): Promise<() => void>
}

interface Waiter {
  owner: number
  devices: Devices
  go(): void
}

/** `perDisk` jobs work on a disk at a time, and one where `isSpinning` says so. */
export function createDiskPlaces(perDisk: number, isSpinning = spins): DiskPlaces {
  const limits = new Map<bigint, Promise<number>>()
  const known = new Map<bigint, number>()
  const taken = new Map<bigint, number>()
  const waiting = new Set<Waiter>()
  /** The turn in which an account got its last place. */
  const served = new Map<number, number>()
  let turn = 0

  const limitOf = (device: bigint) => {
    const asked = limits.get(device) ?? isSpinning(device).then((does) => (does ? 1 : perDisk))
    limits.set(device, asked)
    return asked.then((limit) => known.set(device, limit))
  }
  const fits = ({ devices }: Waiter) =>
    devices.every((device) => (taken.get(device) ?? 0) < (known.get(device) ?? perDisk))
  const next = () =>
    [...waiting]
      .filter(fits)
      .reduce<Waiter | null>(
        (best, each) =>
          best && (served.get(best.owner) ?? 0) <= (served.get(each.owner) ?? 0) ? best : each,
        null,
      )
  const serve = () => {
    for (let each = next(); each; each = next()) {
      waiting.delete(each)
      for (const device of each.devices) taken.set(device, (taken.get(device) ?? 0) + 1)
      served.set(each.owner, ++turn)
      each.go()
    }
  }
  const leave = (devices: Devices) => {
    for (const device of devices) {
      const left = (taken.get(device) ?? 1) - 1
      if (left > 0) taken.set(device, left)
      else taken.delete(device)
    }
    serve()
    if (taken.size === 0) served.clear()
  }
  return {
    async take(owner, of, signal) {
      const devices = [...new Set(of)]
      await Promise.all(devices.map(limitOf))
      signal.throwIfAborted()
      await new Promise<void>((resolve, reject) => {
        const waiter: Waiter = {
          owner,
          devices,
          go: () => {
            signal.removeEventListener('abort', giveUp)
            resolve()
          },
        }
        const giveUp = () => {
          waiting.delete(waiter)
          reject(signal.reason)
        }
        waiting.add(waiter)
        signal.addEventListener('abort', giveUp, { once: true })
        serve()
      })
      let isHere = true
      return () => {
        if (isHere) leave(devices)
        isHere = false
      }
    },
  }
}

/** What Linux says of a device; false where it says nothing, as for network disks, btrfs and ZFS. */
async function spins(device: bigint): Promise<boolean> {
  // As makedev(3) of glibc puts them together.
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n)
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n)
  const base = `/sys/dev/block/${major}:${minor}`
  // Of a partition its disk knows.
  for (const path of [`${base}/queue/rotational`, `${base}/../queue/rotational`]) {
    const text = await readFile(path, 'utf8').catch(() => null)
    if (text !== null) return text.trim() === '1'
  }
  return false
}
