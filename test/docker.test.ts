// What of the container can be tried without one: the entry point's script and the compose file.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { shortCommit } from '../scripts/build/server.ts'
import { makeTree, type Tree } from './support/tree.ts'

const ROOT = join(import.meta.dirname, '..')
const OTHER_UID = 4321
/** As in the container, where the program's user may not write everywhere. */
const AS_USER = ['setpriv', `--reuid=${OTHER_UID}`, `--regid=${OTHER_UID}`, '--clear-groups']

// The script with the absolute paths of the image moved below a folder; its program prints who it
// is and what it was given.
async function imageIn(tree: Tree): Promise<string> {
  const script = await readFile(join(ROOT, 'docker', 'init.sh'), 'utf8')
  for (const folder of ['config', 'defaults', 'bin']) await mkdir(tree.at(folder))
  await writeFile(tree.at('defaults/settings.json'), '{}')
  const program = '#!/bin/sh\necho "$(id -u):$(id -g) $*"\n'
  await writeFile(tree.at('bin/filebrowser'), program, { mode: 0o755 })
  const moved = script.replace(
    /(?<=[\s"=])\/(config|defaults|bin\/filebrowser)/g,
    `${tree.root}/$1`,
  )
  await writeFile(tree.at('init.sh'), moved, { mode: 0o755 })
  return tree.at('init.sh')
}

function run(words: string[], env: Record<string, string> = {}) {
  const [command = '', ...args] = words
  const { stdout, stderr, status } = spawnSync(command, args, {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  })
  return { stdout, stderr, status }
}

describe('init.sh', () => {
  test('seeds the configuration and puts it before the arguments, unless one is given', async () => {
    await using tree = await makeTree({})
    const script = await imageIn(tree)
    const config = `--config=${tree.root}/config/settings.json`
    expect(run([script, '-p', '1']).stdout).toContain(` ${config} -p 1\n`)
    expect(await readFile(tree.at('config/settings.json'), 'utf8')).toBe('{}')
    for (const given of [['-c', 'x'], ['--config=x']]) {
      expect(run([script, ...given]).stdout).toMatch(new RegExp(`^\\d+:\\d+ ${given.join(' ')}\n$`))
    }
  })

  test.skipIf(process.getuid?.() !== 0)(
    'PUID and PGID choose the user when started as root',
    async () => {
      await using tree = await makeTree({})
      const script = await imageIn(tree)
      execFileSync('chmod', ['-R', 'a+rX', tree.base])
      expect(run([script], { PUID: '4321' }).stdout).toMatch(/^4321:4321 /)
      const both = run([script], { PUID: '4321', PGID: '77' })
      expect(both.stdout).toMatch(/^4321:77 /)
      expect(both.stderr).toBe('')
      expect(run([script], { PGID: '77' }).stderr).toContain('PGID is ignored without PUID')
    },
  )

  test.skipIf(process.getuid?.() !== 0)(
    'says that they are ignored when not started as root',
    async () => {
      await using tree = await makeTree({})
      const script = await imageIn(tree)
      execFileSync('chmod', ['-R', 'a+rX', tree.base])
      await writeFile(tree.at('config/settings.json'), '{}')
      const said = run([...AS_USER, script], { PUID: '1001', PGID: '1001' })
      expect(said.stdout).toMatch(/^4321:4321 /)
      expect(said.stderr).toMatch(/^init: PUID and PGID are ignored, as .* user 4321:4321; .*\n$/)
      for (const env of [{}, { PUID: '4321' }, { PUID: '4321', PGID: '4321' }]) {
        expect(run([...AS_USER, script], env).stderr).toBe('')
      }
    },
  )
})

test('compose publishes to this machine only and believes the bridge it comes through alone', async () => {
  const { services, networks } = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'))
  expect(services.filebrowser.ports).toEqual(['127.0.0.1:8080:80'])
  const [{ gateway }] = networks.front.ipam.config
  expect(services.filebrowser.networks).toEqual(['front'])
  expect(services.filebrowser.environment).toEqual({ FB_TRUSTED_PROXIES: gateway })
})

test('the image collects orphans, and gets its commit from a build argument', async () => {
  const dockerfile = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  expect(dockerfile).toContain('ENTRYPOINT ["/usr/bin/tini", "--", "/init.sh"]')
  expect(dockerfile).toMatch(/apt-get install .*\btini\b/)
  expect(dockerfile).toContain('FILEBROWSER_COMMIT="$COMMIT" npm run package')
  expect(shortCommit({ FILEBROWSER_COMMIT: 'abc1234' })).toBe('abc1234')
})
