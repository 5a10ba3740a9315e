// RFC 3339 with nanoseconds and the server's zone, as the API writes times (http-api 1.6).

let zoneOfMinute = Number.NaN
let zoneText = 'Z'

/** Formats nanoseconds since the epoch; trailing zeros of the fraction are dropped. */
export function formatTime(timeNs: bigint): string {
  let seconds = Number(timeNs / 1_000_000_000n)
  let nanos = Number(timeNs % 1_000_000_000n)
  if (nanos < 0) {
    seconds -= 1
    nanos += 1_000_000_000
  }
  const offsetMinutes = -new Date(seconds * 1000).getTimezoneOffset()
  const local = new Date((seconds + offsetMinutes * 60) * 1000).toISOString().slice(0, 19)
  if (offsetMinutes !== zoneOfMinute) {
    zoneOfMinute = offsetMinutes
    zoneText = zone(offsetMinutes)
  }
  if (nanos === 0) return local + zoneText
  return `${local}.${String(nanos).padStart(9, '0').replace(/0+$/, '')}${zoneText}`
}

function zone(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z'
  const minutes = Math.abs(offsetMinutes)
  const pad = (n: number) => String(n).padStart(2, '0')
  return `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
