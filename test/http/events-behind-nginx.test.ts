// Events of jobs behind nginx as it comes, which keeps back answers until a buffer is full.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { PASSWORD, startApp } from '../support/app.ts'
import { leastOf } from '../support/cpu-time.ts'
import { waitFor } from '../support/deadline.ts'
import { begin } from '../support/jobs.ts'
import { loginAs } from '../support/login.ts'
import { needProgram } from '../support/programs.ts'

const NGINX = '/usr/sbin/nginx'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Starts nginx before a server, with buffering as it is by default; gives its origin. */
async function startNginx(behind: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'filebrowser-nginx-'))
  const port = await freePort()
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/log; events {}
http {
  access_log off; ${temp.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass ${behind}; proxy_set_header Host $http_host; proxy_read_timeout 60s; }
  }
}`,
  )
  const child: ChildProcess = spawn(NGINX, ['-c', file, '-e', join(folder, 'log')])
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill()
      await once(child, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  })
  const origin = `http://127.0.0.1:${port}`
  const answers = () =>
    fetch(`${origin}/health`)
      .then(({ ok }) => ok)
      .catch(() => false)
  await waitFor('nginx', answers)
  return origin
}

it('come within a second, each by itself', async () => {
  needProgram(NGINX)
  await using app = await startApp({
    tree: { 'a.txt': 'a', to: null },
    users: [{ username: 'ann' }],
  })
  const origin = await startNginx(app.origin)
  const ann = await loginAs(origin, 'ann', PASSWORD)
  const control = new AbortController()
  onTestFinished(() => control.abort())
  const answer = await ann.fetch('/api/events', { signal: control.signal })
  expect(answer.status).toBe(200)
  let text = ''
  const reading = (async () => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString()
  })()
  reading.catch(() => {})
  const ends = () => text.split('"state":"done"').length
  for (let times = 0; times < 3; times++) {
    // A busy machine takes longer, but not each time.
    const takenMs = await leastOf(1_000, async () => {
      const before = ends()
      await begin(ann, { kind: 'copy', items: ['/a.txt'], to: '/to', conflict: 'rename' })
      const begunMs = performance.now()
      await waitFor('its end', () => ends() > before)
      return performance.now() - begunMs
    })
    expect(takenMs).toBeLessThan(1_000)
  }
})
