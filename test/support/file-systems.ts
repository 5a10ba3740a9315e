// File systems in which a rename or a link is refused where it looks possible; most need root.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MAY_MOUNT, mountDisk, mountFolder, mountWith } from './mounts.ts'

/** Made in an empty folder of a served tree. */
export interface FileSystem {
  name: string
  /** Why it cannot be made here; null where it can. */
  why: string | null
  /** Makes it at `at`, with what it needs in `beside`; `content` is put in place before the last mount. */
  make(at: string, beside: string, content: FillFolder): Promise<MadeFileSystem>
}

/** Fills the folder in which the test works. */
export type FillFolder = (folder: string) => Promise<void>

export interface MadeFileSystem extends AsyncDisposable {
  /** The folder that was filled, below `at`. */
  folder: string
  /** Leaves no byte free. */
  fill?(): Promise<void>
}

const IMAGE_BYTES = { btrfs: 128 * 2 ** 20, xfs: 320 * 2 ** 20 }
const DISK_BYTES = 4 * 2 ** 20

function whyNot(...programs: string[]): string | null {
  if (!MAY_MOUNT) return 'mounting is denied'
  const missing = programs.find(
    (name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )
  return missing ? `${missing} is not installed` : null
}

/** The kernel may not know what is asked for, and the devices of a container may be few. */
function whyNotImage(kind: string, ...programs: string[]): string | null {
  const why = whyNot(...programs)
  if (why) return why
  const test = `grep -qw ${kind} /proc/filesystems && losetup -f`
  return spawnSync('sh', ['-c', test]).status === 0 ? null : `no loop images with ${kind} here`
}

/** Gives all mounts back, the last one first. */
function all(
  mounts: readonly AsyncDisposable[],
  more: Omit<MadeFileSystem, keyof AsyncDisposable>,
) {
  const stack = new AsyncDisposableStack()
  for (const mount of mounts) stack.use(mount)
  return { ...more, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Makes `at` a disk of that kind, in a file of `beside`. */
export async function mountImage(
  kind: 'btrfs' | 'xfs',
  at: string,
  beside: string,
  sizeBytes = IMAGE_BYTES[kind],
): Promise<AsyncDisposable> {
  const image = join(beside, `${kind}.img`)
  await writeFile(image, '')
  await truncate(image, sizeBytes)
  execFileSync(`mkfs.${kind}`, ['-q', image])
  return mountWith(at, ['-o', 'loop', image])
}

async function filled(folder: string, content: FillFolder): Promise<string> {
  await mkdir(folder, { recursive: true })
  await content(folder)
  return folder
}

/** A folder below is on the layer that is not written to: no rename takes it away. */
export const OVERLAY: FileSystem = {
  name: 'the lower layer of an overlay',
  why: whyNot(),
  make: async (at, beside, content) => {
    const layers = join(beside, 'layers')
    const disk = await mountDisk(layers, DISK_BYTES)
    const paths = ['lower', 'upper', 'work'].map((name) => join(layers, name))
    for (const path of paths) await mkdir(path)
    await filled(join(layers, 'lower/in'), content)
    const [lower, upper, work] = paths
    const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`
    const overlay = mountWith(at, ['-t', 'overlay', '-o', options, 'none'])
    return all([disk, overlay], { folder: join(at, 'in') })
  },
}

export const FILE_SYSTEMS: readonly FileSystem[] = [
  {
    name: 'a subvolume of btrfs',
    why: whyNotImage('btrfs', 'mkfs.btrfs', 'btrfs'),
    make: async (at, beside, content) => {
      const disk = await mountImage('btrfs', at, beside)
      execFileSync('btrfs', ['subvolume', 'create', join(at, 'sub')], { stdio: 'ignore' })
      return all([disk], { folder: await filled(join(at, 'sub/in'), content) })
    },
  },
  {
    name: 'xfs',
    why: whyNotImage('xfs', 'mkfs.xfs'),
    make: async (at, beside, content) => {
      const disk = await mountImage('xfs', at, beside)
      return all([disk], { folder: await filled(join(at, 'in'), content) })
    },
  },
  {
    name: 'a branch of mergerfs that keeps to its paths',
    why: whyNot('mergerfs'),
    make: async (at, beside, content) => {
      const [large, small] = [join(beside, 'large'), join(beside, 'small')]
      // What is new at the top goes where most is free; the folder is on the other branch.
      const disks = [await mountDisk(large, 2 * DISK_BYTES), await mountDisk(small, DISK_BYTES)]
      await filled(join(small, 'in'), content)
      execFileSync('mergerfs', [
        '-o',
        'category.create=epmfs,minfreespace=0',
        `${large}:${small}`,
        at,
      ])
      return all([...disks, mountWith(at, null)], { folder: join(at, 'in') })
    },
  },
  OVERLAY,
  {
    name: 'another place of the same disk',
    why: whyNot(),
    make: async (at, beside, content) => {
      await filled(join(beside, 'source/in'), content)
      const bound = await mountFolder(join(beside, 'source'), at)
      return all([bound], { folder: join(at, 'in') })
    },
  },
  {
    name: 'a disk below a folder that is only for reading',
    why: whyNot(),
    make: async (at, _beside, content) => {
      await mkdir(join(at, 'disk'))
      const disk = await mountDisk(join(at, 'disk'), DISK_BYTES)
      const folder = await filled(join(at, 'disk/in'), content)
      const top = mountWith(at, ['--rbind', at])
      execFileSync('mount', ['-o', 'remount,bind,ro', at])
      return all([disk, top, mountWith(join(at, 'disk'), null)], { folder })
    },
  },
  {
    name: 'a disk that is full',
    why: whyNot(),
    make: async (at, _beside, content) => {
      const disk = await mountDisk(at, DISK_BYTES)
      const folder = await filled(join(at, 'in'), content)
      const fill = () => writeFile(join(at, 'filling'), Buffer.alloc(DISK_BYTES)).catch(() => {})
      return all([disk], { folder, fill })
    },
  },
]
