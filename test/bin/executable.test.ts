import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { OUT_DIR } from '../../scripts/build/paths.ts'
import { filesBelow } from '../../scripts/package/stage.ts'
import { hostTarget } from '../../scripts/package/targets.ts'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { SAMPLES } from '../support/pictures.ts'
import { ADMIN, programCommand } from '../support/program.ts'
import { makeTree, type Tree } from '../support/tree.ts'

const [program, ...leading] = programCommand()
/** What only the packaged form can show; a bundle run by Node is another thing. */
const packaged = leading.length === 0
const root = process.getuid?.() === 0
/** Large enough for its checksum to be made in a thread. */
const ZEROS = Buffer.alloc(3 * 1024 * 1024)
/** Two catalogues of one language are alike, and smaller. */
const LARGE_BYTES = 100_000

interface Running extends AsyncDisposable {
  origin: string
  child: ChildProcess
  output(): string
}

/** The executable alone in an empty folder. */
async function install(tree: Tree): Promise<string> {
  const folder = join(tree.base, 'alone')
  await mkdir(folder)
  const file = join(folder, basename(program))
  await copyFile(program, file)
  await chmod(file, 0o755)
  return file
}

async function start(
  file: string,
  tree: Tree,
  env: Record<string, string>,
  asUser = '',
): Promise<Running> {
  const args = ['-p', '0', '-r', tree.root, '-d', join(tree.base, 'filebrowser.db')]
  const first = ['--username', ADMIN.username, '--password', ADMIN.password]
  const command = asUser
    ? ['setpriv', `--reuid=${asUser}`, `--regid=${asUser}`, '--clear-groups']
    : []
  const words = [...command, file, ...args, ...first]
  const child = spawn(words[0] ?? '', words.slice(1), { cwd: tree.base, env })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
  }
  const exited = once(child, 'exit')
  const port = await waitFor('the start', () => {
    if (child.exitCode !== null) throw new Error(printed)
    return /listening on \S*?:(\d+)/i.exec(printed)?.[1]
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    child,
    output: () => printed,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await withDeadline('the end', 60_000, exited)
    },
  }
}

/** Hashes, resizes, decodes and compresses: every native part at work. */
async function useEverything(origin: string): Promise<void> {
  const user = await loginAs(origin)
  for (const name of ['picture.jpg', 'picture.heic', 'paper.pdf']) {
    const response = await user.fetch(`/api/preview/thumb/${name}?inline=true`)
    expect([name, response.status, response.headers.get('content-type')]).toEqual([
      name,
      200,
      'image/jpeg',
    ])
    await response.arrayBuffer()
  }
  for (const algo of ['zip', 'targz', 'tarbz2', 'tarxz', 'tarlz4', 'tarsz', 'tarbr', 'tarzst']) {
    const response = await user.fetch(`/api/raw/?algo=${algo}`)
    expect([algo, response.status]).toEqual([algo, 200])
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100)
  }
  const hashed = await user.fetch('/api/resources/zeros.bin?checksum=sha256')
  const sha256 = createHash('sha256').update(ZEROS).digest('hex')
  expect(await hashed.json()).toMatchObject({ checksums: { sha256 } })
}

async function sampleTree(): Promise<Tree> {
  const tree = await makeTree({ 'zeros.bin': ZEROS })
  for (const name of ['picture.jpg', 'picture.heic', 'paper.pdf']) {
    await copyFile(join(SAMPLES, name), tree.at(name))
  }
  return tree
}

describe.skipIf(!packaged)('the executable alone in an empty folder', () => {
  it.runIf(process.platform === 'linux')('needs no library that a minimal system lacks', () => {
    const needed = execFileSync('ldd', [program], { encoding: 'utf8' })
    const names = [...needed.matchAll(/\b(lib[\w+]+)\.so/g)].map(([, name]) => name ?? '')
    expect(new Set(names)).toEqual(
      new Set(['libc', 'libdl', 'libgcc_s', 'libm', 'libpthread', 'libstdc++']),
    )
  })

  it('does everything without Node, without node_modules and without an environment', async () => {
    await using tree = await sampleTree()
    const file = await install(tree)
    await using running = await start(file, tree, { HOME: tree.base })
    await useEverything(running.origin)
    expect(await readdir(join(tree.base, 'alone'))).toEqual([basename(file)])
    const cache = join(tree.base, '.cache', 'filebrowser')
    expect((await stat(cache)).mode & 0o777).toBe(0o700)
  })

  it('holds no large file twice, not even packed', async () => {
    const folder = join(OUT_DIR, 'stage', hostTarget().name)
    const large = new Map<string, string[]>()
    for (const name of filesBelow(folder)) {
      const stored = await readFile(join(folder, name))
      const bytes = name.endsWith('.br') ? brotliDecompressSync(stored) : stored
      if (bytes.length < LARGE_BYTES) continue
      const digest = createHash('sha256').update(bytes).digest('hex')
      large.set(digest, [...(large.get(digest) ?? []), name])
    }
    expect(large.size).toBeGreaterThan(10)
    expect([...large.values()].filter((names) => names.length > 1)).toEqual([])
  })

  it('brings its interface along, compressed and to be kept for good', async () => {
    await using tree = await makeTree({})
    await using running = await start(await install(tree), tree, { HOME: tree.base })
    const html = await (await fetch(`${running.origin}/`)).text()
    const script = /<script type="module" src="([^"]+)"/.exec(html)?.[1] ?? ''
    for (const encoding of ['br', 'gzip', 'identity']) {
      const headers = { 'Accept-Encoding': encoding }
      const response = await fetch(running.origin + script, { headers })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding)
      expect(response.headers.get('cache-control')).toContain('immutable')
      expect(response.headers.get('vary')).toBe('Accept-Encoding')
      const etag = response.headers.get('etag') ?? ''
      expect((await response.text()).length).toBeGreaterThan(10_000)
      const again = await fetch(running.origin + script, {
        headers: { ...headers, 'If-None-Match': etag },
      })
      expect(again.status).toBe(304)
    }
  })

  it('brings along what is loaded when people sign in elsewhere for the first time', async () => {
    await using tree = await makeTree({})
    const closed = '127.0.0.1:65535'
    await using running = await start(await install(tree), tree, {
      HOME: tree.base,
      FB_OIDC_ISSUER: `http://${closed}`,
      FB_OIDC_CLIENT_ID: 'files',
      FB_LDAP_URL: `ldap://${closed}`,
      FB_LDAP_BASE: 'dc=example',
    })
    await fetch(`${running.origin}/api/oidc/login`, { redirect: 'manual' })
    const body = JSON.stringify({ username: 'bob', password: 'none' })
    await fetch(`${running.origin}/api/login`, { method: 'POST', body })
    // What is not found inside would be the reason instead.
    await waitFor('both refusals', () =>
      ['/api/oidc/login', '/api/login'].every((path) =>
        new RegExp(` ${path}: 503 .*ECONNREFUSED`).test(running.output()),
      ),
    )
  })

  it.skipIf(!root)('runs for a user id without a name and without a home', async () => {
    await using tree = await sampleTree()
    execFileSync('chown', ['-R', '54321:54321', tree.base])
    const file = await install(tree)
    const temporary = join(tree.base, 'tmp')
    await mkdir(temporary)
    execFileSync('chown', ['54321:54321', temporary])
    await using running = await start(
      file,
      tree,
      { PATH: process.env.PATH ?? '', TMPDIR: temporary },
      '54321',
    )
    await useEverything(running.origin)
    expect(await readdir(temporary)).toContain('filebrowser-54321')
  })

  it('unpacks nothing for commands that hash nothing', async () => {
    await using tree = await makeTree({})
    const file = await install(tree)
    const options = { cwd: tree.base, env: { HOME: tree.base }, stdio: 'ignore' } as const
    for (const word of ['version', '--help']) execFileSync(file, [word], options)
    expect(() => execFileSync(file, ['healthcheck', '-p', '1'], options)).toThrow()
    expect(await readdir(tree.base)).not.toContain('.cache')
    execFileSync(file, ['hash', 'a long password'], options)
    expect(await readdir(tree.base)).toContain('.cache')
  })

  it('unpacks elsewhere when its cache folder cannot be written', async () => {
    await using tree = await sampleTree()
    const file = await install(tree)
    const temporary = join(tree.base, 'tmp')
    await mkdir(temporary)
    // A file where the folder should be: not even root writes there.
    await copyFile(join(SAMPLES, 'data.json'), join(tree.base, '.cache'))
    await using running = await start(file, tree, { HOME: tree.base, TMPDIR: temporary })
    await useEverything(running.origin)
    expect((await readdir(temporary)).some((name) => name.startsWith('filebrowser-'))).toBe(true)
  })

  it('unpacks once for two that start at the same time', async () => {
    await using one = await sampleTree()
    await using two = await sampleTree()
    const file = await install(one)
    const env = { HOME: one.base }
    const both = await Promise.all([start(file, one, env), start(file, two, env)])
    await using first = both[0]
    await using second = both[1]
    await Promise.all([useEverything(first.origin), useEverything(second.origin)])
    const cache = await readdir(join(one.base, '.cache', 'filebrowser'), { recursive: true })
    expect(cache.filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(cache.filter((name) => /^native-[^/]+$/.test(name))).toHaveLength(1)
  })

  const TELLS_READS = `
    const sea = require('node:sea')
    const { getRawAsset } = sea
    sea.getRawAsset = (name) => {
      console.error('read:', name)
      return getRawAsset(name)
    }
  `

  it('reads nothing of the server for its version and for a check of health', async () => {
    await using tree = await makeTree({})
    const file = await install(tree)
    await using running = await start(file, tree, { HOME: tree.base })
    const tells = join(tree.base, 'tells.cjs')
    await writeFile(tells, TELLS_READS)
    const env = { HOME: tree.base, NODE_OPTIONS: `--require ${tells}` }
    const port = new URL(running.origin).port
    const database = join(tree.base, 'filebrowser.db')
    for (const [words, says] of [
      [['version'], /^File Browser v/],
      [['healthcheck', '-p', port, '-d', database], /^healthy\n$/],
    ] as const) {
      const ended = spawnSync(file, words, { env, encoding: 'utf8', cwd: tree.base })
      expect(ended.stdout).toMatch(says)
      expect(ended.stderr).toBe('read: server/quick.process.cjs\n')
    }
  })

  const TELLS_LOADED = `
    const { write } = process.stdout
    process.stdout.write = (text, ...rest) => {
      if (String(text).includes('Listening on'))
        console.error('crypto loaded:', process.moduleLoadList.includes('NativeModule crypto'))
      return write.call(process.stdout, text, ...rest)
    }
  `

  it('listens before it loads what the first sign-in needs', async () => {
    await using tree = await makeTree({})
    const file = await install(tree)
    const tells = join(tree.base, 'tells.cjs')
    await writeFile(tells, TELLS_LOADED)
    // The first start makes a password by it.
    await (await start(file, tree, { HOME: tree.base }))[Symbol.asyncDispose]()
    const env = { HOME: tree.base, NODE_OPTIONS: `--require ${tells}` }
    await using running = await start(file, tree, env)
    expect(running.output()).toContain('crypto loaded: false\n')
    await loginAs(running.origin)
  })

  const TELLS_CODE = `
    const vm = require('node:vm')
    class Telling extends vm.Script {
      constructor(source, options) {
        super(source, options)
        if (options?.cachedData) console.log('code refused:', this.cachedDataRejected)
      }
    }
    vm.Script = Telling
  `

  it.each([
    { flags: '', refused: false },
    { flags: '--expose-gc', refused: true },
  ])(
    'runs the server that was compiled before, refused $refused with "$flags"',
    async ({ flags, refused }) => {
      await using tree = await makeTree({ 'a.txt': 'a' })
      const tells = join(tree.base, 'tells.cjs')
      await writeFile(tells, TELLS_CODE)
      const env = { HOME: tree.base, NODE_OPTIONS: `--require ${tells} ${flags}` }
      await using running = await start(await install(tree), tree, env)
      expect(running.output()).toContain(`code refused: ${refused}\n`)
      const user = await loginAs(running.origin)
      expect((await user.fetch('/api/resources/a.txt')).status).toBe(200)
    },
  )
})
