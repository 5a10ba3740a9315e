// Programs of the system that the tests call: a browser, the reference tools for archives, and what
// disks and clocks that fail are made of.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

interface Tool {
  /** Any of these makes it present. */
  files: string[]
  /** Debian package. */
  debian: string
}

const TOOLS: readonly Tool[] = [
  { files: ['/usr/bin/chromium', '/usr/bin/google-chrome'], debian: 'chromium' },
  // Not needed, but faster: see test/support/browser.ts.
  { files: ['/usr/bin/chromium-headless-shell'], debian: 'chromium-headless-shell' },
  { files: ['/usr/bin/bzip2', '/bin/bzip2'], debian: 'bzip2' },
  { files: ['/usr/bin/xz'], debian: 'xz-utils' },
  { files: ['/usr/bin/lz4'], debian: 'lz4' },
  { files: ['/usr/bin/zstd'], debian: 'zstd' },
  { files: ['/usr/bin/brotli'], debian: 'brotli' },
  { files: ['/usr/bin/unzip'], debian: 'unzip' },
  { files: ['/usr/bin/zip'], debian: 'zip' },
  { files: ['/usr/bin/7zz'], debian: '7zip' },
  { files: ['/usr/bin/bsdtar'], debian: 'libarchive-tools' },
  { files: ['/usr/bin/ffmpeg'], debian: 'ffmpeg' },
  // Downloads in parts.
  { files: ['/usr/bin/aria2c'], debian: 'aria2' },
  { files: ['/usr/bin/curl'], debian: 'curl' },
  // A proxy that keeps back what it can.
  { files: ['/usr/sbin/nginx'], debian: 'nginx' },
  { files: ['/usr/lib/python3/dist-packages/snappy'], debian: 'python3-snappy' },
  { files: ['/usr/bin/python3'], debian: 'python3' },
  // Disks in user space that hang, fail or know no case: see test/support/fuse-disk.ts.
  { files: ['/usr/bin/fusermount3', '/bin/fusermount3'], debian: 'fuse3' },
  { files: ['/usr/lib/python3/dist-packages/fusepy.py'], debian: 'python3-fusepy' },
  // Disks on which not every rename works, and another program that knows our trash.
  { files: ['/usr/sbin/mkfs.btrfs', '/sbin/mkfs.btrfs'], debian: 'btrfs-progs' },
  { files: ['/usr/sbin/mkfs.xfs', '/sbin/mkfs.xfs'], debian: 'xfsprogs' },
  { files: ['/usr/bin/mergerfs'], debian: 'mergerfs' },
  { files: ['/usr/bin/trash-restore'], debian: 'trash-cli' },
  { files: ['/usr/bin/oathtool'], debian: 'oathtool' },
  // The suite of tests for servers of WebDAV.
  { files: ['/usr/bin/litmus'], debian: 'litmus' },
  // A directory, and what asks and changes it.
  { files: ['/usr/sbin/slapd'], debian: 'slapd' },
  { files: ['/usr/bin/ldapmodify'], debian: 'ldap-utils' },
  // The database of several nodes.
  { files: ['/usr/lib/postgresql/15/bin/postgres'], debian: 'postgresql-15' },
  // Proxies that send files themselves.
  { files: ['/usr/sbin/nginx'], debian: 'nginx' },
  { files: ['/usr/lib/apache2/modules/mod_xsendfile.so'], debian: 'libapache2-mod-xsendfile' },
  { files: ['/usr/bin/strip'], debian: 'binutils' },
  // What reads metrics, with a server of which nothing is started.
  { files: ['/usr/bin/promtool'], debian: 'prometheus' },
  { files: ['/usr/bin/ps', '/bin/ps'], debian: 'procps' },
  // A clock that is set is a library of a few lines: see test/support/fault-runs.ts.
  { files: ['/usr/bin/gcc'], debian: 'gcc' },
  { files: ['/usr/include/dlfcn.h'], debian: 'libc6-dev' },
]

/** The Debian package that has a program. */
export function packageOf(program: string): string {
  const isIt = (file: string) => file === program || file.endsWith(`/bin/${program}`)
  return TOOLS.find(({ files }) => files.some(isIt))?.debian ?? program
}

/**
 * Installs what is missing when this is Debian and we are root; otherwise says what to install.
 * Tests that need a missing program skip themselves and say so.
 */
export function provideSystemTools(): void {
  const missing = TOOLS.filter(({ files }) => !files.some((file) => existsSync(file)))
  if (missing.length === 0) return
  const packages = missing.map((tool) => tool.debian)
  const command = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) {
    process.stderr.write(`Some tests need more programs: sudo ${command.join(' ')}\n`)
    return
  }
  process.stderr.write(`installing ${packages.join(', ')}\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const run = (words: string[]): boolean =>
    spawnSync(words[0] ?? '', words.slice(1), { env, stdio: ['ignore', 'ignore', 'inherit'] })
      .status === 0
  run(['apt-get', 'update', '-qq'])
  if (run(command)) return
  // One unknown name must not keep the others away.
  for (const name of packages) run([...command.slice(0, 4), name])
}
