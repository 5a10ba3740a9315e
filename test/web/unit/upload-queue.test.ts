import { expect, test } from 'vitest'
import { type QueueOptions, type SendEvents, UploadQueue } from '../../../web/uploads/queue.ts'
import { UploadError, type UploadItem } from '../../../web/uploads/upload-item.ts'

/** A queue whose sends are ended by the test. */
function makeQueue(options: Partial<QueueOptions> = {}) {
  const running = new Map<
    string,
    { resolve(): void; reject(error: unknown): void; events: SendEvents; signal: AbortSignal }
  >()
  const started: string[] = []
  const discarded: string[] = []
  const settled: string[] = []
  const deferred: (() => void)[] = []
  let changes = 0
  const queue = new UploadQueue({
    send: (item, events, signal) =>
      new Promise((resolve, reject) => {
        started.push(item.name)
        running.set(item.name, { resolve, reject, events, signal })
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    discard: async (item) => void discarded.push(item.name),
    onChange: () => changes++,
    onSettled: (item) => settled.push(`${item.name} ${item.state}`),
    defer: (task) => void deferred.push(task),
    ...options,
  })
  const tick = () => new Promise<void>((resolve) => setImmediate(resolve))
  const end = async (name: string, error?: unknown) => {
    const send = running.get(name)
    if (send === undefined) throw new Error(`${name} is not being sent`)
    running.delete(name)
    if (error === undefined) send.resolve()
    else send.reject(error)
    await tick()
  }
  return {
    queue,
    running,
    started,
    discarded,
    settled,
    end,
    tick,
    changeCount: () => changes,
    runDeferred: () => deferred.splice(0).forEach((task) => void task()),
  }
}

let nextID = 1

function makeItem(name: string, sizeBytes = 10): UploadItem {
  return {
    id: nextID++,
    batchId: 'b',
    sourcePath: name,
    file: new File([new Uint8Array(sizeBytes)], name),
    vpath: `/${name}`,
    name,
    overwrite: false,
    state: 'waiting',
    sentBytes: 0,
    failure: null,
    uploadURL: null,
  }
}

const names = (count: number) => Array.from({ length: count }, (_, n) => makeItem(`f${n + 1}`))

test('sends five at once and the next when one ends, in order', async () => {
  const { queue, started, end } = makeQueue()
  queue.add(names(8))
  expect(started).toEqual(['f1', 'f2', 'f3', 'f4', 'f5'])
  await end('f3')
  expect(started.slice(5)).toEqual(['f6'])
  expect(queue.totals()).toMatchObject({ files: 8, done: 1, active: 5, waiting: 2 })
})

test('a paused upload gives its place to the next and is taken up first again', async () => {
  const { queue, started, running, end } = makeQueue({ maxActive: 1 })
  const items = names(3)
  queue.add(items)
  const signal = running.get('f1')?.signal
  queue.pause(items[0]?.id ?? 0)
  expect(signal?.aborted).toBe(true)
  expect(started).toEqual(['f1', 'f2'])
  queue.resume(items[0]?.id ?? 0)
  await end('f2')
  expect(started).toEqual(['f1', 'f2', 'f1'])
})

test('cancelling removes what the server holds and takes the bytes out of the total', async () => {
  const { queue, discarded, running, settled, tick } = makeQueue()
  const items = names(2)
  queue.add(items)
  running.get('f1')?.events.onUploadURL('/api/tus/f1')
  running.get('f1')?.events.onProgress(4)
  queue.cancel(items[0]?.id ?? 0)
  queue.cancel(items[1]?.id ?? 0)
  await tick()
  expect(discarded).toEqual(['f1'])
  expect(settled).toEqual(['f1 cancelled', 'f2 cancelled'])
  expect(queue.totals()).toMatchObject({ files: 0, totalBytes: 0, sentBytes: 0 })
})

test('what failed is settled once more when it is removed', async () => {
  const { queue, settled, end } = makeQueue()
  const items = names(2)
  queue.add(items)
  await end('f1', new UploadError('forbidden', '403'))
  queue.cancel(items[0]?.id ?? 0)
  await end('f2', new UploadError('forbidden', '403'))
  queue.cancelAll()
  expect(settled).toEqual(['f1 failed', 'f1 cancelled', 'f2 failed', 'f2 cancelled'])
})

test('several are cancelled without starting those of them that wait', async () => {
  const { queue, started } = makeQueue()
  const items = names(10)
  queue.add(items)
  queue.cancelMany(items.slice(0, 9).map(({ id }) => id))
  expect(started).toEqual(['f1', 'f2', 'f3', 'f4', 'f5', 'f10'])
})

test('a lost connection holds the queue; the file goes on first when it is back', async () => {
  const { queue, started, end } = makeQueue({ maxActive: 1 })
  queue.add(names(3))
  await end('f1', new UploadError('network', 'no answer'))
  expect(queue.currentHold()).toBe('offline')
  expect(started).toEqual(['f1'])
  queue.release('signed-out')
  expect(started).toEqual(['f1'])
  queue.release('offline')
  expect(started).toEqual(['f1', 'f1'])
})

test('an ended session holds the queue without failing anything', async () => {
  const { queue, end } = makeQueue()
  queue.add(names(2))
  await end('f1', new UploadError('unauthenticated', '401'))
  await end('f2', new UploadError('unauthenticated', '401'))
  expect(queue.currentHold()).toBe('signed-out')
  expect(queue.totals()).toMatchObject({ failed: 0, waiting: 2 })
  queue.release('signed-out')
  expect(queue.totals()).toMatchObject({ active: 2 })
})

test('a failed file leaves the total, the rest reaches the end, and retry brings it back', async () => {
  const { queue, end, running, settled } = makeQueue()
  const items = names(2)
  queue.add(items)
  running.get('f1')?.events.onProgress(4)
  await end('f1', new UploadError('forbidden', '403'))
  await end('f2')
  expect(queue.totals()).toMatchObject({
    totalBytes: 14,
    sentBytes: 14,
    failed: 1,
    done: 1,
    failedBytes: 6,
  })
  expect(items[0]?.failure).toBe('forbidden')
  queue.retry(items[0]?.id ?? 0)
  expect(queue.totals()).toMatchObject({ totalBytes: 20, sentBytes: 14, active: 1 })
  await end('f1')
  expect(queue.totals()).toMatchObject({
    totalBytes: 20,
    sentBytes: 20,
    done: 2,
    failed: 0,
    failedBytes: 0,
  })
  expect(settled).toEqual(['f1 failed', 'f2 done', 'f1 done'])
})

test('pausing everything stops what runs and resuming keeps the order', async () => {
  const { queue, started, running } = makeQueue({ maxActive: 2 })
  queue.add(names(4))
  queue.hold('paused')
  expect([...running.values()].every(({ signal }) => signal.aborted)).toBe(true)
  expect(queue.totals()).toMatchObject({ active: 0, waiting: 4 })
  queue.resumeAll()
  expect(started).toEqual(['f1', 'f2', 'f1', 'f2'])
})

test.each([
  ['disk', 'no_space', 'no-space'],
  ['folder', 'quota_exceeded', 'folder-full'],
] as const)('a full %s stops the queue until the person tries again', async (_, code, hold) => {
  const { queue, end, started } = makeQueue({ maxActive: 1 })
  const items = names(2)
  queue.add(items)
  await end('f1', new UploadError(code, '507'))
  expect(queue.currentHold()).toBe(hold)
  expect(started).toEqual(['f1'])
  queue.retry(items[0]?.id ?? 0)
  expect(started).toEqual(['f1', 'f1'])
})

test('empty files and folders count as one byte', () => {
  const { queue } = makeQueue()
  queue.add([makeItem('empty', 0), { ...makeItem('folder'), file: null }])
  expect(queue.totals().totalBytes).toBe(2)
})

test('changes are told in batches, not one by one', async () => {
  const { queue, running, changeCount, runDeferred } = makeQueue()
  queue.add(names(5))
  runDeferred()
  expect(changeCount()).toBe(1)
  for (let sent = 1; sent < 10; sent++) {
    for (const { events } of running.values()) events.onProgress(sent)
  }
  expect(changeCount()).toBe(1)
  runDeferred()
  expect(changeCount()).toBe(2)
})

test('rows come failed first, then active, waiting and done', async () => {
  const { queue, end } = makeQueue({ maxActive: 2 })
  queue.add(names(5))
  await end('f1')
  await end('f2', new UploadError('forbidden', '403'))
  expect(queue.rows().map(({ name }) => name)).toEqual(['f2', 'f3', 'f4', 'f5', 'f1'])
})

test('holds twenty thousand files without slowing down', async () => {
  const { queue, end, started } = makeQueue()
  queue.add(names(20_000))
  for (let n = 0; n < 3000; n++) await end(started[n] ?? '')
  expect(queue.totals().done).toBe(3000)
  expect(started[3000]).toBe('f3001')
  queue.cancelAll()
  expect(queue.totals()).toMatchObject({ files: 3000, done: 3000, waiting: 0, active: 0 })
  queue.clearFinished(true)
  expect(queue.totals()).toMatchObject({ files: 0, totalBytes: 0, sentBytes: 0 })
})

test('what the server begins after its item was cancelled is discarded', () => {
  const { queue, running, discarded } = makeQueue()
  const [item] = names(1)
  if (item === undefined) throw new Error('no item')
  queue.add([item])
  queue.cancel(item.id)
  expect(discarded).toEqual([])
  running.get(item.name)?.events.onUploadURL('/api/tus/f1')
  expect(discarded).toEqual([item.name])
})
