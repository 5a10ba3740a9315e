// Many clients at once, most of whom go away in the middle: afterwards nothing may be left of them.
import { createHash, randomBytes } from 'node:crypto'
import { readdir, stat, truncate, writeFile } from 'node:fs/promises'
import { Agent, type ClientRequest, type IncomingHttpHeaders, request } from 'node:http'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { FORMATS } from '../support/archives.ts'
import { waitFor } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { childrenOf, openDescriptors, residentBytes } from '../support/process-facts.ts'
import { startProgram } from '../support/program.ts'
import { makeTree } from '../support/tree.ts'

const DOWNLOADS = 200
const UPLOADS = 50
const ARCHIVES = 20
const DURATION_MS = Number(process.env.SOAK_MS ?? 60_000)
const MIB = 1024 ** 2
/** How much more memory the second half may leave than the first: buffers stay, a leak would add as much again. */
const MOST_GROWTH = 1.25
/** Connections that the kernel has not taken back yet. */
const MORE_DESCRIPTORS = 2

interface Tally {
  complete: number
  vanished: number
  wrong: string[]
}

it(
  `serves ${DOWNLOADS} downloads, ${UPLOADS} uploads and ${ARCHIVES} archives at once and forgets them`,
  async ({ task }) => {
    await using tree = await makeTree({})
    const content = randomBytes(8 * MIB)
    const digest = createHash('sha256').update(content).digest('hex')
    await writeFile(tree.at('file.bin'), content)
    await writeFile(tree.at('large.bin'), '')
    await truncate(tree.at('large.bin'), 1024 * MIB)
    const folders = Array.from({ length: 200 }, (_, i) => [`pack/f${i}.txt`, `${i}`.repeat(20_000)])
    await tree.add(Object.fromEntries(folders))
    await tree.add({ inbox: null })

    await using program = await startProgram(tree, { args: ['--loginRateLimit', '0'] })
    const pid = program.process.pid ?? 0
    const { token } = await loginAs(program.origin)
    const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
    const call = (method: string, path: string, headers: Record<string, string> = {}) =>
      request(`${program.origin}${path}`, {
        method,
        agent,
        headers: { 'X-Auth': token, ...headers },
      })
    await once(call('GET', '/api/raw/pack/?algo=tarbz2'), 0)
    const before = await rest(pid)

    const downloads: Tally = { complete: 0, vanished: 0, wrong: [] }
    const uploads: Tally = { complete: 0, vanished: 0, wrong: [] }
    const resumables: Tally = { complete: 0, vanished: 0, wrong: [] }
    const archives: Tally = { complete: 0, vanished: 0, wrong: [] }
    let until = 0
    const keepDoing = async (tally: Tally, task: () => Promise<'complete' | 'vanished'>) => {
      while (performance.now() < until) {
        try {
          tally[await task()]++
        } catch (error) {
          tally.wrong.push(String(error))
        }
      }
    }
    const download = async () => {
      const stay = Math.random() < 0.3
      const path = stay ? '/api/raw/file.bin' : '/api/raw/large.bin'
      const { body, status } = await once(call('GET', path), stay ? 0 : randomMs())
      if (body === null) return 'vanished'
      if (status !== 200 || createHash('sha256').update(body).digest('hex') !== digest)
        throw new Error(`download: ${status}, ${body.length} bytes`)
      return 'complete'
    }
    let names = 0
    const upload = async () => {
      const stay = Math.random() < 0.3
      const path = `/api/resources/inbox/u${names++}.bin`
      const size = stay ? MIB : 64 * MIB
      const sending = call('POST', path, { 'Content-Length': String(size) })
      Readable.from(slowly(size, stay ? 0 : 5))
        .on('error', () => {})
        .pipe(sending)
      const { body, status } = await once(sending, stay ? 0 : randomMs())
      if (body === null) return 'vanished'
      if (status !== 200) throw new Error(`upload: ${status}`)
      await once(call('DELETE', path), 0)
      return 'complete'
    }
    const resumable = async () => {
      const path = `/api/tus/inbox/t${names++}.bin`
      const size = 8 * MIB
      const begin = call('POST', path, { 'Upload-Length': String(size) })
      begin.end()
      const begun = await once(begin, 0)
      if (begun.status !== 201) throw new Error(`resumable upload: ${begun.status}`)
      const patch = (from: number, pauseMs: number, leaveAfterMs: number) => {
        const headers = {
          'Content-Type': 'application/offset+octet-stream',
          'Upload-Offset': String(from),
          'Content-Length': String(size - from),
        }
        const sending = call('PATCH', path, headers)
        Readable.from(slowly(size - from, pauseMs))
          .on('error', () => {})
          .pipe(sending)
        return once(sending, leaveAfterMs)
      }
      const stay = Math.random() < 0.3
      const first = await patch(0, stay ? 0 : 20, stay ? 0 : randomMs())
      if (first.body !== null) {
        if (first.status !== 204) throw new Error(`resumable upload: ${first.status}`)
        await once(call('DELETE', path.replace('tus', 'resources')), 0)
        return 'complete'
      }
      // Who has left comes back: to go on from where it broke off, or to give it up.
      for (;;) {
        const { status, headers } = await once(call('HEAD', path), 0)
        if (status === 404) break
        const offset = Number(headers['upload-offset'])
        const ended =
          Math.random() < 0.5 ? await patch(offset, 0, 0) : await once(call('DELETE', path), 0)
        if (ended.status === 204 || ended.status === 404) break
        // Bytes that were under way had arrived in between.
        if (ended.status !== 409) throw new Error(`resumed upload: ${ended.status}`)
      }
      await once(call('DELETE', path.replace('tus', 'resources')), 0)
      return 'vanished'
    }
    const archive = async () => {
      const format = FORMATS[Math.floor(Math.random() * FORMATS.length)]
      const stay = Math.random() < 0.3
      const path = stay ? `/api/raw/pack/?algo=${format}` : `/api/raw/?algo=${format}`
      const { body, status } = await once(call('GET', path), stay ? 0 : randomMs())
      if (body === null) return 'vanished'
      if (status !== 200) throw new Error(`archive: ${status}`)
      return 'complete'
    }
    const half = async () => {
      until = performance.now() + DURATION_MS / 2
      await Promise.all([
        ...Array.from({ length: DOWNLOADS }, () => keepDoing(downloads, download)),
        ...Array.from({ length: UPLOADS }, (_, i) =>
          i % 2 === 0 ? keepDoing(uploads, upload) : keepDoing(resumables, resumable),
        ),
        ...Array.from({ length: ARCHIVES }, () => keepDoing(archives, archive)),
      ])
      return waitFor(
        'the return to rest',
        async () => {
          const now = await rest(pid)
          const atRest =
            now.descriptors <= before.descriptors + MORE_DESCRIPTORS &&
            now.children === before.children
          return atRest ? now : null
        },
        30_000,
      )
    }
    const between = await half()
    const after = await half()
    agent.destroy()

    for (const [name, tally] of Object.entries({ downloads, uploads, resumables, archives })) {
      expect(tally.wrong, `${name}\n${program.output()}`).toEqual([])
      expect(tally.complete).toBeGreaterThan(0)
      expect(tally.vanished).toBeGreaterThan(0)
    }
    const left = (await readdir(tree.root, { recursive: true })).filter((name) =>
      /tmp|inbox\//.test(name),
    )
    Object.assign(task.meta, {
      figures: {
        'descriptors before': before.descriptors,
        'descriptors after': after.descriptors,
        'memory MiB before': Math.round(before.memory / MIB),
        'memory MiB after half of it': Math.round(between.memory / MIB),
        'memory MiB after': Math.round(after.memory / MIB),
        downloads: `${downloads.complete} + ${downloads.vanished} left early`,
        uploads: `${uploads.complete} + ${uploads.vanished} left early`,
        'resumable uploads': `${resumables.complete} + ${resumables.vanished} came back`,
        archives: `${archives.complete} + ${archives.vanished} left early`,
      },
    })
    expect(after.memory).toBeLessThan(between.memory * MOST_GROWTH)
    // An upload may have been whole before its client went; its file is no leftover then.
    const whole = await Promise.all(
      left.map(async (name) => {
        const isUpload = /^inbox\/u\d+\.bin$/.test(name)
        return isUpload && [MIB, 64 * MIB].includes((await stat(tree.at(name))).size)
      }),
    )
    expect(left.filter((_, i) => !whole[i])).toEqual([])
    expect(program.output()).not.toMatch(/error:|unhandled|warning: .*listener/i)
    expect(program.output()).not.toMatch(/: 5\d\d \S+ /)
  },
  5 * 60_000,
)

async function rest(pid: number) {
  return {
    descriptors: await openDescriptors(pid),
    children: (await childrenOf(pid)).length,
    memory: await residentBytes(pid),
  }
}

const randomMs = () => 1 + Math.floor(Math.random() ** 2 * 3_000)

/** Sends the request; body null when the client went after `leaveAfterMs` (0 stays). */
function once(
  call: ClientRequest,
  leaveAfterMs: number,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer | null }> {
  return new Promise((resolve, reject) => {
    let left = false
    const timer = leaveAfterMs
      ? setTimeout(() => {
          left = true
          call.destroy()
          resolve({ status: 0, headers: {}, body: null })
        }, leaveAfterMs)
      : undefined
    const fail = (error: Error) => {
      clearTimeout(timer)
      if (!left) reject(error)
    }
    call.on('error', fail)
    call.on('response', (response) => {
      const parts: Buffer[] = []
      let bytes = 0
      response.on('data', (part: Buffer) => {
        bytes += part.length
        // Large files are only drained: this process has no gigabytes to spare.
        if (bytes <= 16 * MIB) parts.push(part)
      })
      response.on('error', fail)
      response.on('end', () => {
        clearTimeout(timer)
        const { statusCode = 0, headers } = response
        resolve({ status: statusCode, headers, body: Buffer.concat(parts) })
      })
    })
    if (!call.writableEnded && !['POST', 'PUT', 'PATCH'].includes(call.method)) call.end()
  })
}

async function* slowly(bytes: number, pauseMs: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, 'u')
  for (let sent = 0; sent < bytes; sent += piece.length) {
    yield piece
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
