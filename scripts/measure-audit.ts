// Measures small requests with the audit log against those without, by the packaged executable: `node
// scripts/measure-audit.ts [rounds] [requests]`, by default 15 rounds of 4,000 on each side. Each round starts both
// sides anew, and asks them in turns over open connections by a client that does as little as it can; the medians of the
// rounds are printed with the lowest and the highest.
import { connect, type Socket } from 'node:net'
import { loginAs } from '../test/support/login.ts'
import { cpuMsOf } from '../test/support/process-facts.ts'
import { startProgram } from '../test/support/program.ts'
import { makeTree, memoryFolder } from '../test/support/tree.ts'

const AT_ONCE = 4
const PATHS = { 'a small file': '/api/raw/small.txt', 'the facts of one': '/api/resources/a.bin' }

const rounds = Number(process.argv[2] ?? 15)
const requests = Number(process.argv[3] ?? 4_000)

async function serve(stack: AsyncDisposableStack, args: string[]) {
  const tree = stack.use(await makeTree({}, undefined, memoryFolder() ?? undefined))
  await tree.add({ 'small.txt': 'x'.repeat(1_000), 'a.bin': Buffer.alloc(2) })
  const program = stack.use(await startProgram(tree, { args }))
  const { token } = await loginAs(program.origin)
  return { program, token }
}

/** One answer after the other on a connection; those wanted have a length. */
function askOften(socket: Socket, request: string, count: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = count
    let missingBytes = 0
    let head = ''
    const take = (chunk: Buffer) => {
      if (missingBytes === 0) {
        head += chunk.toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head.slice(0, 200)))
        const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
        missingBytes = Number(length) - (head.length - end - 4)
        head = ''
      } else missingBytes -= chunk.length
      if (missingBytes > 0) return
      if (--left > 0) return void socket.write(request)
      socket.off('data', take)
      resolve()
    }
    socket.on('data', take)
    socket.write(request)
  })
}

async function side({ program, token }: Awaited<ReturnType<typeof serve>>, path: string) {
  const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${program.port}\r\nX-Auth: ${token}\r\n\r\n`
  const sockets = Array.from({ length: AT_ONCE }, () => connect(program.port, '127.0.0.1'))
  const pid = program.process.pid ?? 0
  const [beforeMs, startedAt] = [await cpuMsOf(pid), performance.now()]
  await Promise.all(sockets.map((socket) => askOften(socket, request, requests / AT_ONCE)))
  const [ms, busyMs] = [performance.now() - startedAt, (await cpuMsOf(pid)) - beforeMs]
  for (const socket of sockets) socket.destroy()
  return { ms, busyMs }
}

function tell(what: string, ratios: number[]): void {
  const sorted = ratios.toSorted((a, b) => a - b)
  const [low, middle, high] = [0, sorted.length >> 1, sorted.length - 1].map((i) =>
    sorted[i]?.toFixed(2),
  )
  process.stdout.write(`  ${what.padEnd(48)} ${middle} (${low} to ${high})\n`)
}

const ratios = Object.keys(PATHS).map(() => ({ clock: [] as number[], processor: [] as number[] }))
for (let i = 0; i < rounds; i++) {
  await using pair = new AsyncDisposableStack()
  const [on, off] = [await serve(pair, []), await serve(pair, ['--audit', 'off'])]
  for (const [of, path] of Object.values(PATHS).entries()) {
    // What each has compiled by then differs from start to start by more than a line costs.
    for (const server of [on, off]) await side(server, path)
    const first = i % 2 === 0 ? await side(on, path) : null
    const without = await side(off, path)
    const withIt = first ?? (await side(on, path))
    ratios[of]?.clock.push(without.ms / withIt.ms)
    ratios[of]?.processor.push(without.busyMs / withIt.busyMs)
  }
}
for (const [of, what] of Object.keys(PATHS).entries()) {
  process.stdout.write(`${what}, with the log / without (at least 0.95)\n`)
  tell('requests a second', ratios[of]?.clock ?? [])
  tell('the same by the processor', ratios[of]?.processor ?? [])
}
