// Small files that go together: what is in a request, and what becomes of each file.
import { Readable } from 'node:stream'
import { extract } from 'tar-stream'
import { expect, it } from 'vitest'
import {
  type BundleRequest,
  createBundleSend,
  fitsBundle,
} from '../../../web/uploads/bundle/send-bundle.ts'
import { UploadError, type UploadItem } from '../../../web/uploads/upload-item.ts'

const MODIFIED_MS = 1_700_000_000_123

function itemOf(vpath: string, content = vpath, more: Partial<UploadItem> = {}): UploadItem {
  const name = vpath.slice(vpath.lastIndexOf('/') + 1)
  return {
    ...{ id: 1, batchId: 'one', sourcePath: name, vpath, name, overwrite: false },
    ...{ state: 'active', sentBytes: 0, failure: null, uploadURL: null },
    file: new File([content], name, { lastModified: MODIFIED_MS }),
    ...more,
  }
}

/** A server that answers a request as `answers` says, one after the other. */
function setUp(answers: ((asked: BundleRequest) => { status: number; code?: string })[]) {
  const asked: BundleRequest[] = []
  const alone: string[] = []
  const progress = new Map<string, number>()
  const send = createBundleSend({
    async post(request) {
      asked.push(request)
      const { status, code = '' } = answers[asked.length - 1]?.(request) ?? { status: 0 }
      return { status, code }
    },
    async sendAlone({ vpath }) {
      alone.push(vpath)
    },
    isComplete: async ({ vpath }) => vpath.endsWith('there.txt'),
  })
  const begin = (item: UploadItem, signal = new AbortController().signal) =>
    send(
      item,
      {
        isTogether: true,
        onProgress: (bytes) => void progress.set(item.vpath, bytes),
        onUploadURL() {},
      },
      signal,
    ).then(
      () => 'done',
      (error: unknown) => (error instanceof UploadError ? error.code : 'left'),
    )
  return { asked, alone, progress, begin }
}

const line = (name: string, status = 200, code?: string) =>
  `${JSON.stringify({ name, status, ...(code !== undefined && { code }) })}\n`

const all = ({ folder, items, onText }: BundleRequest) => {
  onText(items.map(({ vpath }) => line(vpath.slice(folder.length))).join(''))
  return { status: 200 }
}

async function contentOf(body: Blob) {
  const entries: { name: string; content: string; mtime: number }[] = []
  const tar = extract()
  Readable.from(Buffer.from(await body.arrayBuffer())).pipe(tar as never)
  for await (const entry of tar) {
    const chunks: Buffer[] = []
    for await (const chunk of entry) chunks.push(chunk as Buffer)
    const { name, pax } = entry.header as { name: string; pax?: { mtime?: string } }
    entries.push({ name, content: Buffer.concat(chunks).toString(), mtime: Number(pax?.mtime) })
  }
  return entries
}

it('a request is a tar below the common folder, with names of any length and times', async () => {
  const { asked, begin } = setUp([all])
  const paths = ['/a/b/c.txt', `/a/b/${'ü'.repeat(120)}/d 😀.txt`, '/a/empty']
  const done = paths.map((path) => begin(itemOf(path, path === '/a/empty' ? '' : path)))
  expect(await Promise.all(done)).toEqual(['done', 'done', 'done'])
  expect(asked.map(({ folder, items }) => [folder, items.length])).toEqual([['/a/', 3]])
  expect(await contentOf(asked[0]?.body as Blob)).toEqual(
    paths.map((path) => ({
      name: path.slice('/a/'.length),
      content: path === '/a/empty' ? '' : path,
      mtime: MODIFIED_MS / 1000,
    })),
  )
})

it('what a broken answer has not confirmed goes into the next request, and is done if it is there', async () => {
  const { asked, begin } = setUp([
    ({ onText }) => {
      // The last line is cut.
      onText(`${line('a.txt')}{"name":"there.t`)
      return { status: 200 }
    },
    ({ onText }) => {
      onText(line('there.txt', 409, 'exists') + line('c.txt', 409, 'exists'))
      return { status: 200 }
    },
  ])
  const ends = ['/a.txt', '/there.txt', '/c.txt'].map((path) => begin(itemOf(path)))
  expect(await Promise.all(ends)).toEqual(['done', 'done', 'exists'])
  expect(asked.map(({ items }) => items.map(({ vpath }) => vpath))).toEqual([
    ['/a.txt', '/there.txt', '/c.txt'],
    ['/there.txt', '/c.txt'],
  ])
})

it('no answer means the network, refusals of all mean each, and others go by themselves', async () => {
  const ends = [0, 401, 507, 413, 503, 404].map(async (status) => {
    const { alone, begin } = setUp([
      () => ({ status, code: status === 401 ? 'unauthenticated' : '' }),
    ])
    const end = await Promise.all([begin(itemOf('/a')), begin(itemOf('/b'))])
    return [status, end[0], end[1], alone.length]
  })
  expect(await Promise.all(ends)).toEqual([
    [0, 'network', 'network', 0],
    [401, 'unauthenticated', 'unauthenticated', 0],
    [507, 'no_space', 'no_space', 0],
    [413, 'done', 'done', 2],
    [503, 'done', 'done', 2],
    [404, 'done', 'done', 2],
  ])
})

it('an answer that ends without a name speaks of all that follow', async () => {
  const { begin } = setUp([
    ({ onText }) => {
      onText(`${line('a')}${JSON.stringify({ status: 507, code: 'quota_exceeded' })}\n`)
      return { status: 200 }
    },
  ])
  expect(await Promise.all([begin(itemOf('/a')), begin(itemOf('/b'))])).toEqual([
    'done',
    'quota_exceeded',
  ])
})

it('one that is left ends the request, and the others go on in the next', async () => {
  const controller = new AbortController()
  const { asked, begin } = setUp([
    () => {
      controller.abort(new Error('paused'))
      return { status: 0 }
    },
    all,
  ])
  const ends = [begin(itemOf('/a'), controller.signal), begin(itemOf('/b')), begin(itemOf('/c'))]
  expect(await Promise.all(ends)).toEqual(['left', 'done', 'done'])
  expect(asked[0]?.signal.aborted).toBe(true)
  expect(asked[1]?.items.map(({ vpath }) => vpath)).toEqual(['/b', '/c'])
})

it('what cannot be read is said, and the rest goes', async () => {
  const { begin } = setUp([all])
  const gone = itemOf('/gone')
  Object.assign(gone.file as File, { arrayBuffer: () => Promise.reject(new Error('gone')) })
  expect(await Promise.all([begin(gone), begin(itemOf('/b'))])).toEqual(['unreadable', 'done'])
})

it('what replaces and what does not, and what belongs to two uploads, go apart', async () => {
  const { asked, begin } = setUp([all, all, all])
  await Promise.all([
    begin(itemOf('/a')),
    begin(itemOf('/b', 'b', { overwrite: true })),
    begin(itemOf('/c', 'c', { batchId: 'two' })),
    begin(itemOf('/d')),
  ])
  expect(asked.map(({ items, overwrite }) => [items.length, overwrite])).toEqual([
    [2, false],
    [1, true],
    [1, false],
  ])
})

it('tells how much of each file was sent', async () => {
  const { progress, begin } = setUp([
    (request) => {
      // Heads take three blocks each.
      request.onSent(3 * 512 + 5)
      return all(request)
    },
  ])
  await Promise.all([begin(itemOf('/a', '1234567890')), begin(itemOf('/b'))])
  expect(progress.get('/a')).toBe(5)
  expect(progress.get('/b')).toBeLessThanOrEqual(0)
})

it.each([
  ['/a.txt', true],
  ['/back\\slash', false],
  ['/c:d', false],
  ['/lone\ud800', false],
])('%j may go together: %s', (vpath, may) => {
  expect(fitsBundle(itemOf(vpath, 'x'))).toBe(may)
})

it('what is large, or was begun by itself, does not go together', () => {
  expect(fitsBundle(itemOf('/a', 'x'.repeat(2 ** 20 + 1)))).toBe(false)
  expect(fitsBundle(itemOf('/a', 'x', { uploadURL: '/api/tus/a' }))).toBe(false)
  expect(fitsBundle(itemOf('/a', 'x', { file: null }))).toBe(false)
})
