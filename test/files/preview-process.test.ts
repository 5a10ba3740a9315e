import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createPreviewProcess, type JobRequest } from '../../src/files/preview/process.ts'
import { createFrameReader, encodeFrame } from '../../src/files/preview/protocol.ts'
import { leastOf } from '../support/cpu-time.ts'
import { waitFor } from '../support/deadline.ts'
import { slowPdf, swellingPdf } from '../support/hostile-pdf.ts'
import { SAMPLES } from '../support/pictures.ts'
import { makeTree } from '../support/tree.ts'

async function jobFor(name: string): Promise<JobRequest> {
  const path = join(SAMPLES, name)
  const { ino } = await stat(path)
  const wanted = { kind: 'image', size: 'thumb', display: true, full: false } as const
  return { path, ino: String(ino), ...wanted, ffmpeg: '', memoryBytes: 100 * MIB }
}

function childrenOf(pid: number): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return all
    .split('\n')
    .filter((line) => line.includes('preview.process'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent]) => Number(parent) === pid)
    .map(([child]) => Number(child))
}

const MIB = 1024 * 1024
const forever = new AbortController().signal
const anna = { asker: { name: 'anna', isVisitor: false } }

describe('the preview process', () => {
  it('is started anew after a crash, and what was under way is done again', async () => {
    const previews = createPreviewProcess(2)
    try {
      const job = await jobFor('picture.jpg')
      await previews.run(job, forever, anna)
      const [first] = childrenOf(process.pid)
      expect(first).toBeGreaterThan(0)
      const results = Array.from({ length: 8 }, () => previews.run(job, forever, anna))
      process.kill(first as number, 'SIGKILL')
      for (const { bytes } of await Promise.all(results)) expect(bytes.length).toBeGreaterThan(1000)
      expect(childrenOf(process.pid)).not.toContain(first)
    } finally {
      previews.close()
    }
  })

  it('is what the system ends where there is no memory left', async () => {
    const previews = createPreviewProcess(1)
    try {
      await previews.run(await jobFor('picture.jpg'), forever, anna)
      const [child] = childrenOf(process.pid)
      expect(await readFile(`/proc/${child}/oom_score_adj`, 'utf8')).toBe('1000\n')
    } finally {
      previews.close()
    }
  })

  it('outlives a damaged HEIC file, whatever its decoder prints', async () => {
    await using tree = await makeTree({})
    const path = tree.at('damaged.heic')
    const bytes = await readFile(join(SAMPLES, 'picture.heic'))
    bytes.writeUInt32BE(8_000, bytes.indexOf('ispe') + 8)
    await writeFile(path, bytes)
    const ino = String((await stat(path)).ino)
    const previews = createPreviewProcess(1)
    try {
      const job = await jobFor('picture.jpg')
      await previews.run(job, forever, anna)
      const first = childrenOf(process.pid)
      const damaged = previews.run({ ...job, kind: 'heic', path, ino }, forever, anna)
      await expect(damaged).rejects.toThrow('does not decode')
      expect(childrenOf(process.pid)).toEqual(first)
    } finally {
      previews.close()
    }
  })

  it('forgets a job whose client has gone, and goes on with the others', async () => {
    const previews = createPreviewProcess(1)
    try {
      const job = await jobFor('picture.jpg')
      const gone = new AbortController()
      const first = previews.run(job, forever, anna)
      const left = previews.run(job, gone.signal, anna)
      const last = previews.run(job, forever, anna)
      gone.abort(new Error('gone'))
      await expect(left).rejects.toThrow('gone')
      expect((await first).bytes.length).toBeGreaterThan(1000)
      expect((await last).bytes.length).toBeGreaterThan(1000)
    } finally {
      previews.close()
    }
  })

  it.runIf(process.platform === 'linux')(
    'ends a job under way, and the ffmpeg it waits for, when the client goes',
    async () => {
      await using tree = await makeTree({})
      const ffmpeg = tree.at('ffmpeg')
      await writeFile(ffmpeg, `#!/bin/sh\necho $$ > ${tree.at('pid')}\nexec sleep 300\n`)
      await chmod(ffmpeg, 0o700)
      const previews = createPreviewProcess(1)
      try {
        const gone = new AbortController()
        const job: JobRequest = { ...(await jobFor('film.mp4')), kind: 'video', ffmpeg }
        const running = previews.run(job, gone.signal, anna)
        const pid = await waitFor('ffmpeg', async () => Number(await tree.read('pid')))
        gone.abort(new Error('gone'))
        await expect(running).rejects.toThrow('gone')
        // Others who come and go meanwhile do not put it off.
        const visit = async (signal: AbortSignal) => previews.run(job, signal, anna).catch(() => {})
        await waitFor('the end of ffmpeg', () => {
          const visitor = new AbortController()
          void visit(visitor.signal)
          visitor.abort()
          return !existsSync(`/proc/${pid}`)
        })
        // The next picture is made as ever.
        const { bytes } = await previews.run(await jobFor('picture.jpg'), forever, anna)
        expect(bytes.length).toBeGreaterThan(1000)
      } finally {
        previews.close()
      }
    },
  )

  it('is ended when a job takes too long, which is not begun again; those behind it are made', async () => {
    await using tree = await makeTree({ 'slow.pdf': slowPdf() })
    const path = tree.at('slow.pdf')
    const ino = String((await stat(path)).ino)
    const previews = createPreviewProcess(1)
    try {
      const job = await jobFor('picture.jpg')
      await previews.run(job, forever, anna)
      const [first] = childrenOf(process.pid)
      const slow = previews.run({ ...job, kind: 'pdf', path, ino }, forever, {
        ...anna,
        timeoutMs: 1_000,
      })
      const behind = [1, 2, 3].map(() => previews.run(job, forever, anna))
      await expect(slow).rejects.toMatchObject({
        failure: 'too_slow',
        message: 'not made within 1 seconds',
      })
      for (const { bytes } of await Promise.all(behind)) expect(bytes.length).toBeGreaterThan(1000)
      expect(childrenOf(process.pid)).not.toContain(first)
    } finally {
      previews.close()
    }
  })

  it('refuses a path that leads to another file by now', async () => {
    const previews = createPreviewProcess(1)
    try {
      const job = { ...(await jobFor('picture.jpg')), ino: '1' }
      await expect(previews.run(job, forever, anna)).rejects.toMatchObject({
        failure: 'undecodable',
      })
    } finally {
      previews.close()
    }
  })

  it('reads what the server has open, also after the name is gone', async () => {
    const previews = createPreviewProcess(1)
    const handle = await open(join(SAMPLES, 'picture.jpg'))
    try {
      const job = await jobFor('picture.jpg')
      const path = `/proc/${process.pid}/fd/${handle.fd}`
      const { bytes } = await previews.run({ ...job, path }, forever, anna)
      expect(bytes.length).toBeGreaterThan(1000)
    } finally {
      await handle.close()
      previews.close()
    }
  })

  it('knows none of the secrets in the environment of the server', async () => {
    process.env.FB_PASSWORD = 'not for children'
    const previews = createPreviewProcess(1)
    try {
      await previews.run(await jobFor('picture.jpg'), forever, anna)
      const pid = await waitFor('the process', () => childrenOf(process.pid)[0])
      const environment = execFileSync('cat', [`/proc/${pid}/environ`], { encoding: 'utf8' })
      expect(environment).toContain('PATH=')
      expect(environment).not.toContain('not for children')
    } finally {
      delete process.env.FB_PASSWORD
      previews.close()
    }
  })
})

describe.runIf(process.platform === 'linux')('the memory of the preview process', () => {
  const peakMib = async () => {
    const [pid] = childrenOf(process.pid)
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
  }

  it('stays below 512 MB for the largest interlaced pictures that are shown', async () => {
    await using tree = await makeTree({})
    const previews = createPreviewProcess(1)
    try {
      const render = async (side: number, bits: 8 | 16) => {
        const path = tree.at(`${side}-${bits}.png`)
        await writeFile(path, interlacedPng(side, bits))
        const ino = String((await stat(path)).ino)
        const job = { ...(await jobFor('picture.jpg')), path, ino, memoryBytes: 410 * MIB }
        return previews.run(job, forever, anna)
      }
      await expect(render(10_000, 16)).rejects.toMatchObject({ failure: 'too_heavy' })
      await expect(render(10_000, 8)).rejects.toMatchObject({ failure: 'too_heavy' })
      expect((await render(9_760, 8)).bytes.length).toBeGreaterThan(500)
      expect(await peakMib()).toBeLessThan(512)
    } finally {
      previews.close()
    }
  })

  it('ends a process that takes more than it said', async () => {
    await using tree = await makeTree({ 'large.pdf': swellingPdf() })
    const path = tree.at('large.pdf')
    const ino = String((await stat(path)).ino)
    const previews = createPreviewProcess(1)
    try {
      const job = { ...(await jobFor('picture.jpg')), kind: 'pdf' as const, path, ino }
      await expect(previews.run(job, forever, anna)).rejects.toMatchObject({ failure: 'too_large' })
    } finally {
      previews.close()
    }
  })
})

describe('turns', () => {
  const start = async (concurrency: number) => {
    const previews = createPreviewProcess(concurrency)
    const job = await jobFor('picture.jpg')
    const done: string[] = []
    const ask = (name: string, isVisitor = false) =>
      previews.run(job, forever, { asker: { name, isVisitor } }).then(() => void done.push(name))
    return { previews, done, ask }
  }

  it.each([1, 2, 4])(
    'one picture is made right after what runs already, however many somebody else waits for (%i at a time)',
    async (concurrency) => {
      // Beside it others come to their end, a few for each that is made at the same time.
      const most = concurrency + 1 + 4 * (concurrency - 1)
      const before = await leastOf(most + 1, async () => {
        const { previews, done, ask } = await start(concurrency)
        const flood = Array.from({ length: 100 }, () => ask('visitor', true))
        const ended = Promise.allSettled(flood)
        try {
          await ask('anna')
          return done.length
        } finally {
          previews.close()
          await ended
        }
      })
      expect(before).toBeLessThanOrEqual(most)
    },
  )

  it('visitors of many shares do not keep people waiting who are signed in', async () => {
    const before = await leastOf(20, async () => {
      const { previews, done, ask } = await start(3)
      try {
        const flood = Array.from({ length: 100 }, (_, i) => ask(`share ${i}`, true))
        for (let i = 0; i < 3; i++) await ask('anna')
        const count = done.length
        await Promise.all(flood)
        return count
      } finally {
        previews.close()
      }
    })
    expect(before).toBeLessThan(20)
  })

  it('nobody queues more pictures than a page shows, and others go on', async () => {
    const { previews, ask } = await start(1)
    try {
      const flood = Array.from({ length: 600 }, () => ask('visitor', true))
      const results = Promise.allSettled(flood)
      await ask('anna')
      previews.close()
      const refused = (await results).filter(({ status }) => status === 'rejected')
      expect(refused.length).toBeGreaterThanOrEqual(99)
    } finally {
      previews.close()
    }
  })
})

describe('frames', () => {
  it('survive any cutting of the stream', () => {
    const sent = Buffer.concat([
      encodeFrame({ id: 1, contentType: 'image/jpeg' }, Buffer.from('first')),
      encodeFrame({ id: 2, failure: 'too_large' }),
      encodeFrame({ id: 3 }, Buffer.alloc(3000, 7)),
    ])
    for (const step of [1, 7, 1000, sent.length]) {
      const read = createFrameReader<{ id: number }>()
      const frames = []
      for (let at = 0; at < sent.length; at += step)
        frames.push(...read(sent.subarray(at, at + step)))
      expect(frames.map(({ head }) => head.id)).toEqual([1, 2, 3])
      expect(frames.map(({ body }) => body.length)).toEqual([5, 0, 3000])
      expect(frames[0]?.body.toString()).toBe('first')
    }
  })

  it('refuse a length that no picture has', () => {
    const read = createFrameReader()
    expect(() => read(Buffer.alloc(8, 0xff))).toThrow('bytes')
  })
})

/** Transparent pixels, at four samples each, in the seven passes of Adam7 (PNG, 8.2). */
function interlacedPng(side: number, bits: 8 | 16): Buffer {
  const passes = [
    [8, 8],
    [8, 8],
    [4, 8],
    [4, 4],
    [2, 4],
    [2, 2],
    [1, 2],
  ] as const
  const rowBytes = (step: number) => 1 + (side / step) * (bits / 2)
  const sizeBytes = passes.reduce((sum, [dx, dy]) => sum + rowBytes(dx) * (side / dy), 0)
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const frame = Buffer.alloc(8)
    frame.writeUInt32BE(data.length, 0)
    frame.writeUInt32BE(crc32(body), 4)
    return [frame.subarray(0, 4), body, frame.subarray(4)]
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(side, 0)
  head.writeUInt32BE(side, 4)
  head.set([bits, 6, 0, 0, 1], 8)
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...chunk('IHDR', head),
    ...chunk('IDAT', deflateSync(Buffer.alloc(sizeBytes), { level: 1 })),
    ...chunk('IEND', Buffer.alloc(0)),
  ])
}
