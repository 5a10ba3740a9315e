// `npm run check:image`: tries the container image where no container engine is at hand. Follows the
// steps of the Dockerfile's last stage in a folder (debootstrap for its base), then runs the entry
// point there by chroot, in a process namespace of its own, as the user of the image. It shows the
// files, users, libraries and scripts of the image at work; not its isolation, nor its build stage:
// dist/filebrowser must be there, from `npm run package`.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OUT_DIR, ROOT } from './build/paths.ts'

/** A host may not let user 1000 listen on the image's port 80, as containers do. */
const PORT = '18080'
const START_MS = 30_000
const STOP_MS = 15_000
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const INSIDE = 'FILEBROWSER_CHECK_IMAGE_INSIDE'

interface Image {
  root: string
  user: string
  env: Record<string, string>
  entrypoint: string[]
  healthcheck: string[]
}

const missing = whatIsMissing()
if (missing !== '') {
  process.stderr.write(`check:image cannot run here: ${missing}\n`)
  process.exit(2)
}
if (process.env[INSIDE] === undefined) {
  // In a mount namespace of its own, so that no mount stays behind, whatever happens.
  const words = ['-m', '--propagation', 'private', process.execPath, import.meta.filename]
  const env = { ...process.env, [INSIDE]: '1' }
  process.exit(spawnSync('unshare', words, { env, stdio: 'inherit' }).status ?? 1)
}

const folder = await mkdtemp(join(tmpdir(), 'filebrowser-image-'))
try {
  execFileSync('mount', ['--bind', folder, folder])
  const image = await buildImage(folder)
  await tryImage(image)
  say('the image works')
} finally {
  spawnSync('umount', ['-R', '-l', folder])
  rmSync(folder, { recursive: true, force: true })
}

function say(line: string): void {
  process.stdout.write(`check:image: ${line}\n`)
}

function whatIsMissing(): string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root'
  for (const program of ['debootstrap', 'unshare', 'chroot', 'setpriv']) {
    if (spawnSync('which', [program]).status !== 0) return `${program} is not installed`
  }
  const executable = join(OUT_DIR, 'filebrowser')
  return existsSync(executable) ? '' : `${executable} is not there, run "npm run package" first`
}

/** The instructions of the last stage, continuation lines joined. */
function lastStage(): [instruction: string, rest: string][] {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ')
  const all = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): [string, string] => {
      const [instruction = '', ...rest] = line.trim().split(/\s+/)
      return [instruction, rest.join(' ')]
    })
  return all.slice(all.findLastIndex(([instruction]) => instruction === 'FROM'))
}

async function buildImage(root: string): Promise<Image> {
  const image: Image = { root, user: '0:0', env: {}, entrypoint: [], healthcheck: [] }
  for (const [instruction, rest] of lastStage()) {
    say(`${instruction} ${rest}`)
    await follow(image, instruction, rest)
  }
  return image
}

async function follow(image: Image, instruction: string, rest: string): Promise<void> {
  const { root } = image
  switch (instruction) {
    case 'FROM': {
      const suite = /^debian:(\w+)-slim$/.exec(rest)?.[1]
      if (!suite) throw new Error(`cannot make the base ${rest}`)
      execFileSync('debootstrap', ['--variant=minbase', suite, root], { stdio: 'ignore' })
      // A temporary folder is closed to others, which the root of the image must not be.
      await chmod(root, 0o755)
      for (const name of ['dev', 'proc']) {
        execFileSync('mount', ['--rbind', `/${name}`, join(root, name)])
      }
      await cp('/etc/resolv.conf', join(root, 'etc', 'resolv.conf'), { dereference: true })
      return
    }
    case 'ARG': {
      const [name = '', value = ''] = rest.split('=')
      image.env[name] = value.replaceAll('"', '')
      return
    }
    case 'RUN':
      inImage(image, ['/bin/sh', '-c', rest], '0:0')
      return
    case 'COPY':
      return copyInto(root, rest.split(' '))
    case 'USER':
      image.user = rest
      return
    case 'HEALTHCHECK':
      image.healthcheck = JSON.parse(/CMD (\[.*\])/.exec(rest)?.[1] ?? '[]')
      return
    case 'ENTRYPOINT':
      image.entrypoint = JSON.parse(rest)
      return
    case 'VOLUME':
    case 'EXPOSE':
      return
    default:
      throw new Error(`the Dockerfile has an instruction unknown here: ${instruction}`)
  }
}

async function copyInto(root: string, words: string[]): Promise<void> {
  const options = words.filter((word) => word.startsWith('--'))
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? ''
  for (const source of paths) {
    const built = options.some((option) => option.startsWith('--from='))
    const from = built ? join(OUT_DIR, basename(source)) : join(ROOT, source)
    const to = join(root, target, target.endsWith('/') ? basename(source) : '')
    await mkdir(join(to, '..'), { recursive: true })
    await cp(from, to)
    const mode = options.find((option) => option.startsWith('--chmod='))?.slice('--chmod='.length)
    if (mode) execFileSync('chmod', [mode, to])
  }
}

function asUser(user: string): string[] {
  const [uid = '0', gid = uid] = user.split(':')
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs', '--']
}

/** Runs a command in the image to its end; throws with its output when it fails. */
function inImage(image: Image, words: string[], user = image.user): string {
  const args = [image.root, ...asUser(user), ...words]
  const env = { PATH, ...image.env }
  const { status, stdout, stderr } = spawnSync('chroot', args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}

async function tryImage(image: Image): Promise<void> {
  image.env = { FB_PORT: PORT, FB_ADDRESS: '127.0.0.1', DEBIAN_FRONTEND: 'noninteractive' }
  say(inImage(image, ['/bin/filebrowser', 'version']).trim())
  const started = startEntrypoint(image)
  try {
    await until('the health check', START_MS, started, () => {
      inImage(image, image.healthcheck)
      return true
    })
    say('the health check answers')
    const first = execFileSync('pgrep', ['-P', String(started.child.pid)], { encoding: 'utf8' })
    const name = readFileSync(`/proc/${first.trim()}/comm`, 'utf8').trim()
    // Orphans of hooks and shell commands become children of process 1, which must collect them.
    if (name !== 'tini') throw new Error(`process 1 is ${name} and not tini`)
    const accounts = inImage(image, ['filebrowser', '-c', '/config/settings.json', 'users', 'ls'])
    if (!/\badmin\b/.test(accounts)) throw new Error(`no administrator in\n${accounts}`)
    execFileSync('kill', ['-TERM', first.trim()])
    await until('the end', STOP_MS, started, () => started.child.exitCode !== null)
    if (started.child.exitCode !== 0) throw new Error(`it ended with ${started.child.exitCode}`)
    say('it stops with 0 on SIGTERM')
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${started.output()}`)
  } finally {
    started.child.kill('SIGKILL')
  }
  const health = spawnSync('chroot', [image.root, ...asUser(image.user), ...image.healthcheck])
  if (health.status !== 1) throw new Error(`the health check of a stopped server: ${health.status}`)
}

interface Started {
  child: ChildProcess
  output(): string
}

function startEntrypoint(image: Image): Started {
  const command = [...asUser(image.user), ...image.entrypoint]
  const words = ['--pid', '--fork', '--kill-child', 'chroot', image.root, ...command]
  const env = { PATH, HOME: '/home/user', ...image.env }
  const child = spawn('unshare', words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return { child, output: () => output }
}

async function until(
  label: string,
  ms: number,
  { child }: Started,
  probe: () => boolean,
): Promise<void> {
  const end = performance.now() + ms
  for (;;) {
    let failure: unknown
    try {
      if (probe()) return
    } catch (error) {
      failure = error
    }
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    if (performance.now() > end) throw new Error(`${label} did not come: ${failure ?? ''}`)
    await delay(200)
  }
}
