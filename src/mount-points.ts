// What is mounted where, by the kernel's own list. Linux only.

/** The list for readFile; it is missing elsewhere, and in a bare chroot. */
export const MOUNT_LIST = '/proc/self/mountinfo'

/**
 * The places in the list. The fifth field of each line, where white space and backslashes are octal:
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export function mountPointsOf(list: Buffer): Set<string> {
  const places = list
    .toString('latin1')
    .split('\n')
    .map((line) => (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, octalCharacter))
  return new Set(places.map((place) => Buffer.from(place, 'latin1').toString()))
}

function octalCharacter(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8))
}
