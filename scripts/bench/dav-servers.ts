// Other servers of WebDAV that ours is measured beside.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Tree } from '../../test/support/tree.ts'

export interface Apache extends AsyncDisposable {
  origin: string
}

/** Apache with mod_dav over the same folder, in the foreground, by a configuration of its own. */
export async function startApache(tree: Tree): Promise<Apache | null> {
  const binary = '/usr/sbin/apache2'
  if (!existsSync(binary)) return null
  const port = await freePort()
  const place = join(tree.base, 'apache')
  mkdirSync(place)
  for (const folder of [tree.base, tree.root, place]) chmodSync(folder, 0o777)
  const modules = ['mpm_event', 'authz_core', 'dav', 'dav_fs', 'mime'].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  )
  writeFileSync(
    join(place, 'apache.conf'),
    [
      ...modules,
      `ServerRoot ${place}`,
      'ServerName localhost',
      `Listen 127.0.0.1:${port}`,
      `PidFile ${place}/pid`,
      `ErrorLog ${place}/error.log`,
      'User www-data',
      'Group www-data',
      'TypesConfig /etc/mime.types',
      `DavLockDB ${place}/locks`,
      `DocumentRoot ${tree.root}`,
      `<Directory ${tree.root}>`,
      'Require all granted',
      'Dav On',
      '</Directory>',
    ].join('\n'),
  )
  const child = spawn(binary, ['-X', '-f', join(place, 'apache.conf')], { stdio: 'inherit' })
  const origin = `http://127.0.0.1:${port}`
  await answers(`${origin}/`, child)
  return { origin, [Symbol.asyncDispose]: () => end(child) }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

export async function answers(address: string, child: ChildProcess): Promise<void> {
  const untilMs = Date.now() + 10_000
  while (!(await fetch(address).catch(() => null))) {
    if (child.exitCode !== null || Date.now() > untilMs) throw new Error(`${address} is silent`)
    await wait(50)
  }
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const over = once(child, 'exit')
  child.kill('SIGTERM')
  await over
}
