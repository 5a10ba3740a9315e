// What is mounted where, by the kernel's own list. Linux only.

/** The list for readFile; it is missing elsewhere, and in a bare chroot. */
export const MOUNT_LIST = '/proc/self/mountinfo'

export interface Mount {
  /** Given to no other mount as long as this one stands. */
  id: string
  /** Number of the device, `major:minor`; mounts of one file system share it. */
  device: string
  /** The folder of the file system that is mounted. */
  root: string
  /** Name of the kind of file system, such as `ext4` or `fuse.sshfs`. */
  type: string
}

/**
 * The mounts in the list by their places; of several at one place the last, which hides the others.
 * White space and backslashes in places are octal:
 * https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export function mountsOf(list: Buffer): Map<string, Mount> {
  const mounts = new Map<string, Mount>()
  for (const line of list.toString('latin1').split('\n')) {
    const fields = line.split(' ')
    const [id = '', , device = '', root = '', place = ''] = fields
    const type = fields[fields.indexOf('-', 6) + 1] ?? ''
    if (place) mounts.set(textOf(place), { id, device, root: textOf(root), type })
  }
  return mounts
}

function textOf(field: string): string {
  return Buffer.from(field.replace(/\\([0-7]{3})/g, octalCharacter), 'latin1').toString()
}

function octalCharacter(_: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8))
}
