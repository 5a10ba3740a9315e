import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPreviewProcess, type JobRequest } from '../../src/files/preview-process.ts'
import { createFrameReader, encodeFrame } from '../../src/files/preview-protocol.ts'
import { waitFor } from '../support/deadline.ts'
import { slowPdf } from '../support/hostile-pdf.ts'
import { SAMPLES } from '../support/pictures.ts'
import { makeTree } from '../support/tree.ts'

async function jobFor(name: string): Promise<JobRequest> {
  const path = join(SAMPLES, name)
  const { ino } = await stat(path)
  const wanted = { kind: 'image', size: 'thumb', display: true, full: false } as const
  return { path, ino: String(ino), ...wanted, ffmpeg: '' }
}

function childrenOf(pid: number): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
  return all
    .split('\n')
    .filter((line) => line.includes('preview.worker'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent]) => Number(parent) === pid)
    .map(([child]) => Number(child))
}

const forever = new AbortController().signal

describe('the preview process', () => {
  it('is started anew after a crash, and what was under way is done again', async () => {
    const previews = createPreviewProcess(2)
    try {
      const job = await jobFor('picture.jpg')
      await previews.run(job, forever)
      const [first] = childrenOf(process.pid)
      expect(first).toBeGreaterThan(0)
      const results = Array.from({ length: 8 }, () => previews.run(job, forever))
      process.kill(first as number, 'SIGKILL')
      for (const { bytes } of await Promise.all(results)) expect(bytes.length).toBeGreaterThan(1000)
      expect(childrenOf(process.pid)).not.toContain(first)
    } finally {
      previews.close()
    }
  })

  it('outlives a damaged HEIC file, whatever its decoder prints', async () => {
    await using tree = await makeTree({})
    const path = tree.at('damaged.heic')
    const bytes = await readFile(join(SAMPLES, 'picture.heic'))
    bytes.writeUInt32BE(16_000, bytes.indexOf('ispe') + 8)
    await writeFile(path, bytes)
    const ino = String((await stat(path)).ino)
    const previews = createPreviewProcess(1)
    try {
      const job = await jobFor('picture.jpg')
      await previews.run(job, forever)
      const first = childrenOf(process.pid)
      const damaged = previews.run({ ...job, kind: 'heic', path, ino }, forever)
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
      const first = previews.run(job, forever)
      const left = previews.run(job, gone.signal)
      const last = previews.run(job, forever)
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
        const running = previews.run(job, gone.signal)
        const pid = await waitFor('ffmpeg', async () => Number(await tree.read('pid')))
        gone.abort(new Error('gone'))
        await expect(running).rejects.toThrow('gone')
        // Others who come and go meanwhile do not put it off.
        const visit = async (signal: AbortSignal) => previews.run(job, signal).catch(() => {})
        await waitFor('the end of ffmpeg', () => {
          const visitor = new AbortController()
          void visit(visitor.signal)
          visitor.abort()
          return !existsSync(`/proc/${pid}`)
        })
        // The next picture is made as ever.
        const { bytes } = await previews.run(await jobFor('picture.jpg'), forever)
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
    const previews = createPreviewProcess(1, 3_000)
    try {
      const job = await jobFor('picture.jpg')
      await previews.run(job, forever)
      const [first] = childrenOf(process.pid)
      const slow = previews.run({ ...job, kind: 'pdf', path, ino }, forever)
      const behind = [1, 2, 3].map(() => previews.run(job, forever))
      await expect(slow).rejects.toMatchObject({
        failure: 'too_slow',
        message: 'not made within 3 seconds',
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
      await expect(previews.run(job, forever)).rejects.toMatchObject({ failure: 'undecodable' })
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
      const { bytes } = await previews.run({ ...job, path }, forever)
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
      await previews.run(await jobFor('picture.jpg'), forever)
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
