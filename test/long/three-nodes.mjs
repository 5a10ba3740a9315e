// The program as three nodes behind nginx, which takes them in turn: `node three-nodes.mjs <words of the program>`. A
// database is one of PostgreSQL, named after the file that `-d` names; what is no server runs as it is. From the
// environment: PROGRAM (the program), POSTGRES (address without a database), PGPASSWORD.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

const NODES = 3
const { PROGRAM, POSTGRES } = process.env
const words = process.argv.slice(2)
const isServer = words[0] === '-a'
const file = valueAfter('-d')
const name = `n${createHash('sha256').update(file).digest('hex').slice(0, 16)}`

await makeDatabase()
if (isServer) await serve()
else process.exit(await run(words).ended)

function valueAfter(flag) {
  return words[words.indexOf(flag) + 1]
}

/** Runs the program with the database in the place of its file. */
function run(some, more = []) {
  const given = some.map((word) => (word === file ? `${POSTGRES}/${name}` : word))
  const child = spawn(PROGRAM, [...given, ...more], { stdio: 'inherit' })
  return { child, ended: once(child, 'exit').then(([code, signal]) => code ?? (signal ? 1 : 0)) }
}

async function makeDatabase() {
  const client = new pg.Client({ connectionString: `${POSTGRES}/postgres` })
  await client.connect()
  await client.query(`create database ${name}`).catch((error) => {
    if (error.code !== '42P04') throw error
  })
  await client.end()
}

async function serve() {
  const port = valueAfter('-p')
  const ports = []
  while (ports.length < NODES) ports.push(await freePort())
  const nodes = ports.map((own, i) => {
    const state = `${file}.node${i}`
    const some = words.map((word) => (word === port ? String(own) : word))
    return run(some, ['--stateDir', state, '--nodeName', `node${i}`])
  })
  let isOver = false
  const stop = (code) => {
    isOver = true
    for (const { child } of nodes) child.kill()
    balancer?.kill()
    process.exitCode = code
  }
  for (const { ended } of nodes) void ended.then((code) => isOver || stop(code))
  let balancer
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop(0))
  for (const own of ports) while (!isOver && !(await isReady(own))) await wait(50)
  if (!isOver) balancer = startNginx(port, ports)
}

function startNginx(port, ports) {
  const folder = `${file}.nginx`
  mkdirSync(folder, { recursive: true })
  const config = `${folder}/nginx.conf`
  writeFileSync(config, configOf(folder, port, ports))
  const words = ['-c', config, '-p', folder, '-e', 'stderr', '-g', 'daemon off;']
  return spawn('nginx', words, { stdio: 'inherit' })
}

/** As in docs/nodes.md: no client is bound to a node. */
function configOf(folder, port, ports) {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join('\n')
  return `
worker_processes 1;
pid ${folder}/nginx.pid;
events {}
http {
  access_log off;
  ${temporary}
  upstream nodes {
    ${ports.map((own) => `server 127.0.0.1:${own} max_fails=0;`).join('\n    ')}
    keepalive 16;
  }
  map $http_upgrade $connection_upgrade {
    default upgrade;
    ''      '';
  }
  # HTTP/1.0 has none.
  map $http_host $host_asked {
    default $http_host;
    ''      localhost;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    large_client_header_buffers 8 64k;
    merge_slashes off;
    location / {
      proxy_pass http://nodes;
      proxy_http_version 1.1;
      proxy_set_header Host $host_asked;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_request_buffering off;
      proxy_buffering off;
    }
  }
}
`
}

function isReady(port) {
  return new Promise((resolve) => {
    const request = get({ port, host: '127.0.0.1', path: '/ready' }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

async function freePort() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
