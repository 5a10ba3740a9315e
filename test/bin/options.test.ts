// Options whose effect needs time, pictures or links: each does what its help says.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { waitFor, withDeadline } from '../support/deadline.ts'
import { loginAs } from '../support/login.ts'
import { ADMIN, startProgram } from '../support/program.ts'
import { makeTree, SECRET, type Tree } from '../support/tree.ts'

const SAMPLES = join(import.meta.dirname, '..', 'data', 'samples')

async function signedIn(tree: Tree, args: string[] = []) {
  const program = await startProgram(tree, { args })
  const user = await loginAs(program.origin)
  return {
    program,
    user,
    json: async (path: string) => (await user.fetch(path)).json(),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

async function cookieLifeSeconds(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api/login`, {
    method: 'POST',
    body: JSON.stringify({ ...ADMIN, recaptcha: '', remember: true }),
  })
  return Number(/Max-Age=(\d+)/.exec(response.headers.getSetCookie().join())?.[1])
}

describe('sessions', () => {
  test('--sessionIdle and --sessionMax are the life of the cookie, the shorter one counts', async () => {
    await using tree = await makeTree({})
    await using idle = await signedIn(tree, ['--sessionIdle', '3h'])
    expect(await cookieLifeSeconds(idle.program.origin)).toBeGreaterThan(3 * 3600 - 5)
    expect(await cookieLifeSeconds(idle.program.origin)).toBeLessThanOrEqual(3 * 3600)
    await idle.program.stop()
    await using max = await signedIn(tree, ['--sessionMax', '1h'])
    expect(await cookieLifeSeconds(max.program.origin)).toBeLessThanOrEqual(3600)
  })

  test('a session lives on while it is used, and ends after --sessionIdle without', async () => {
    await using tree = await makeTree({})
    const idleMs = 3000
    await using s = await signedIn(tree, ['--sessionIdle', `${idleMs}ms`])
    const unused = await loginAs(s.program.origin)
    const began = performance.now()
    const status = async (user: typeof unused) => (await user.fetch('/api/resources/')).status
    const isOver = async () => {
      expect(await status(s.user)).toBe(200)
      return performance.now() - began > idleMs * 1.5
    }
    let failure: unknown
    await waitFor('a while longer than that', () =>
      isOver().catch((error: unknown) => {
        failure = error
        return true
      }),
    )
    expect(failure).toBeUndefined()
    expect(await status(unused)).toBe(401)
    expect(await status(s.user)).toBe(200)
  })

  test('a session ends after --sessionMax although it is used', async () => {
    await using tree = await makeTree({})
    await using s = await signedIn(tree, ['--sessionMax', '2s'])
    expect((await s.user.fetch('/api/resources/')).status).toBe(200)
    const status = async () => (await s.user.fetch('/api/resources/')).status
    await waitFor('the end of the session', async () => (await status()) === 401)
  })
})

describe('files', () => {
  test('--followExternalSymlinks opens links out of the scope, and nothing else does', async () => {
    await using tree = await makeTree()
    const read = async (args: string[]) => {
      await using s = await signedIn(tree, args)
      return (await s.user.fetch('/api/raw/link-outside')).text()
    }
    expect(await read([])).not.toContain(SECRET)
    expect(await read(['--followExternalSymlinks'])).toContain(SECRET)
  })

  test('--disableTypeDetectionByHeader: listings do not look into files, single files are', async () => {
    await using tree = await makeTree({})
    await copyFile(join(SAMPLES, 'picture.jpg'), tree.at('noextension'))
    const types = async (args: string[]) => {
      await using s = await signedIn(tree, args)
      const { items } = await s.json('/api/resources/')
      return [items[0].type, (await s.json('/api/resources/noextension')).type]
    }
    expect(await types([])).toEqual(['image', 'image'])
    const [listed, alone] = await types(['--disableTypeDetectionByHeader'])
    expect(listed).not.toBe('image')
    expect(alone).toBe('image')
  })

  test('--tusExpiry: what is older is gone after a start, what is younger stays', async () => {
    await using tree = await makeTree({})
    const begin = async (args: string[]) => {
      await using s = await signedIn(tree, args)
      const made = await s.user.fetch('/api/tus/big.bin', {
        method: 'POST',
        headers: { 'Upload-Length': '1000', 'Tus-Resumable': '1.0.0' },
      })
      expect(made.status).toBe(201)
      await s.user.fetch('/api/tus/big.bin', {
        method: 'PATCH',
        headers: { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' },
        body: 'x'.repeat(400),
      })
      await s.program.stop()
    }
    await begin([])
    expect(await readdir(tree.root)).not.toEqual([])
    {
      await using s = await signedIn(tree)
      const head = await s.user.fetch('/api/tus/big.bin', { method: 'HEAD' })
      expect(head.headers.get('upload-offset')).toBe('400')
    }
    await using late = await signedIn(tree, ['--tusExpiry', '1ms'])
    await waitFor('the clean-up', async () => (await readdir(tree.root)).length === 0)
    expect((await late.user.fetch('/api/tus/big.bin', { method: 'HEAD' })).status).toBe(404)
  })

  test('--webhookSecret signs calls', async () => {
    await using tree = await makeTree({})
    const calls: { signature: string; body: string }[] = []
    const receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      calls.push({ signature: String(request.headers['x-filebrowser-signature']), body })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    try {
      await using s = await signedIn(tree, ['--webhookSecret', 'between us'])
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
      const webhooks = [{ url, events: ['after_upload'], enabled: true }]
      const body = JSON.stringify({ ...(await s.json('/api/settings')), webhooks })
      expect((await s.user.fetch('/api/settings', { method: 'PUT', body })).status).toBe(200)
      await s.user.fetch('/api/resources/new.txt', { method: 'POST', body: 'x' })
      const call = await waitFor('the call', () => calls[0])
      const expected = createHmac('sha256', 'between us').update(call.body).digest('hex')
      expect(call.signature).toBe(`sha256=${expected}`)
    } finally {
      await withDeadline('the receiver', 60_000, new Promise((resolve) => receiver.close(resolve)))
    }
  })
})

describe('pictures', () => {
  const withPicture = async () => {
    const tree = await makeTree({})
    await copyFile(join(SAMPLES, 'picture.jpg'), tree.at('p.jpg'))
    return tree
  }

  test('--disableImageResolutionCalc leaves width and height out', async () => {
    await using tree = await withPicture()
    const resolution = async (args: string[]) => {
      await using s = await signedIn(tree, args)
      return (await s.json('/api/resources/p.jpg')).resolution
    }
    expect(await resolution([])).toMatchObject({ width: expect.any(Number) })
    expect(await resolution(['--disableImageResolutionCalc'])).toBeUndefined()
  })

  test('--cacheDir keeps previews there, --previewCacheSize bounds them', async () => {
    await using tree = await withPicture()
    for (let i = 0; i < 6; i++) await copyFile(tree.at('p.jpg'), tree.at(`p${i}.jpg`))
    const kept = async (size: string) => {
      const cache = join(tree.base, `cache-${size}`)
      await using s = await signedIn(tree, ['--cacheDir', cache, '--previewCacheSize', size])
      for (let i = 0; i < 6; i++) {
        expect((await s.user.fetch(`/api/preview/thumb/p${i}.jpg`)).status).toBe(200)
      }
      await s.program.stop()
      const entries = await readdir(cache, { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).length
    }
    const all = await kept('0')
    expect(all).toBeGreaterThanOrEqual(6)
    expect(await kept('1')).toBeLessThan(all)
  })

  test.each([
    ['--disableThumbnails', 'thumb', 'big'],
    ['--disablePreviewResize', 'big', 'thumb'],
  ])('%s sends the picture itself in place of a preview', async (flag, without, still) => {
    await using tree = await withPicture()
    // Larger than any preview, so that both sizes have to be made.
    const picture = await sharp({
      create: { width: 3000, height: 2000, channels: 3, background: '#369' },
    })
      .jpeg()
      .toBuffer()
    await writeFile(tree.at('large.jpg'), picture)
    const preview = async (size: string, args: string[]) => {
      await using s = await signedIn(tree, args)
      const response = await s.user.fetch(`/api/preview/${size}/large.jpg`)
      expect(response.status).toBe(200)
      return Buffer.from(await response.arrayBuffer())
    }
    const made = await preview(without, [])
    expect((await sharp(made).metadata()).width).toBeLessThan(3000)
    expect((await preview(without, [flag])).equals(picture)).toBe(true)
    expect((await sharp(await preview(still, [flag])).metadata()).width).toBeLessThan(3000)
  })

  test.runIf(availableParallelism() > 1)(
    '--imageProcessors is how many are made at the same time',
    async () => {
      await using tree = await makeTree({})
      const names = ['a', 'b', 'c'].map((name) => `${name}.mp4`)
      for (const name of names) await copyFile(join(SAMPLES, 'film.mp4'), tree.at(name))
      const runs = join(tree.base, 'runs')
      const fake = join(tree.base, 'fake-ffmpeg')
      // Notes how many run when it begins; the first waits for a second one, by "hold", which goes then.
      const script = `#!/bin/sh
        mkdir -p '${runs}/now' && : >'${runs}/now/'$$
        ls '${runs}/now' | wc -l >>'${runs}/counts'
        while [ -e '${runs}/hold' ] && [ "$(ls '${runs}/now' | wc -l)" -lt 2 ]; do sleep 0.05; done
        rm -f '${runs}/hold'
        rm '${runs}/now/'$$
        exit 1`
      await writeFile(fake, script, { mode: 0o755 })
      const counts = async (processors: string) => {
        await using s = await signedIn(tree, [
          '--ffmpegPath',
          fake,
          '--imageProcessors',
          processors,
        ])
        const asked = names.map((name) => s.user.fetch(`/api/preview/thumb/${name}`))
        const answers = await withDeadline('three previews', 60_000, Promise.all(asked))
        expect(answers.map(({ status }) => status)).toEqual([501, 501, 501])
        return (await readFile(join(runs, 'counts'), 'utf8')).trim().split(/\s+/).map(Number)
      }
      await mkdir(runs)
      expect(new Set(await counts('1'))).toEqual(new Set([1]))
      await rm(join(runs, 'counts'))
      await writeFile(join(runs, 'hold'), '')
      expect(await counts('2')).toContain(2)
    },
  )

  test('--ffmpegPath is the program for video frames; empty makes none', async () => {
    await using tree = await makeTree({})
    await copyFile(join(SAMPLES, 'film.mp4'), tree.at('film.mp4'))
    const mark = join(tree.base, 'was-called')
    const fake = join(tree.base, 'fake-ffmpeg')
    await writeFile(fake, `#!/bin/sh\ntouch '${mark}'\nexit 1\n`, { mode: 0o755 })
    const ask = async (path: string) => {
      await using s = await signedIn(tree, ['--ffmpegPath', path])
      return (await s.user.fetch('/api/preview/thumb/film.mp4')).status
    }
    expect(await ask('')).toBe(501)
    expect(await readdir(tree.base)).not.toContain('was-called')
    expect(await ask(fake)).toBe(501)
    expect(await readdir(tree.base)).toContain('was-called')
  })
})
