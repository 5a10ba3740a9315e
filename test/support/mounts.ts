// Small mounts for tests of full disks and single-file mounts; they need root.
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'

/** True where this process may mount: as root outside of a locked-down container. */
export const MAY_MOUNT = process.getuid?.() === 0 && process.platform === 'linux' && tryMount()

function tryMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Waits for a server that has a folder of it open for a moment. */
async function unmount(folder: string): Promise<void> {
  for (const endMs = Date.now() + 10_000; ; await setTimeout(20)) {
    try {
      return void execFileSync('umount', [folder], { stdio: 'ignore' })
    } catch (error) {
      if (Date.now() > endMs) throw error
    }
  }
}

/** Runs mount(8), or with `args` null takes over a mount that is there. */
export function mountWith(folder: string, args: string[] | null): AsyncDisposable {
  if (args) execFileSync('mount', [...args, folder])
  return { [Symbol.asyncDispose]: () => unmount(folder) }
}

/** Makes `folder` a disk of `sizeBytes`. */
export async function mountDisk(folder: string, sizeBytes: number): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true })
  return mountWith(folder, ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'none'])
}

/** Makes `file` a mount of its own, as `docker run -v source:file` does. */
export async function mountFile(source: string, file: string): Promise<AsyncDisposable> {
  await writeFile(file, '')
  return mountWith(file, ['--bind', source])
}

/** Makes `folder` another place of `source`. */
export async function mountFolder(source: string, folder: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true })
  return mountWith(folder, ['--bind', source])
}

/** Makes `folder` a mount whose file system has died, as sshfs and rclone leave it. */
export async function mountDead(folder: string): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true })
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
  // Who serves it is the shell, which ends. Without -i a program of fuse3 would be asked to mount.
  const words = [
    '-c',
    'exec 3<>/dev/fuse; mount -i -t fuse -o "$1" none "$2"',
    'sh',
    options,
    folder,
  ]
  execFileSync('sh', words)
  return { [Symbol.asyncDispose]: () => unmount(folder) }
}
