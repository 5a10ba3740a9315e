import { expect, onTestFinished, test, vi } from 'vitest'
import { captureDrop } from '../../../web/uploads/drop/capture-drop.ts'
import {
  nameClipboardFiles,
  type Scan,
  type ScannedEntry,
  scanDrop,
  scanFiles,
} from '../../../web/uploads/dropped-files.ts'
import { failureCode, isRetryable, retryDelaysMs } from '../../../web/uploads/send-tus.ts'

type Tree = { [name: string]: Tree | string | Error }

/** A FileSystemEntry as Chromium gives it: callbacks, and at most a hundred children at a time. */
function makeEntry(name: string, value: Tree | string | Error): FileSystemEntry {
  if (typeof value === 'string' || (value instanceof Error && name.endsWith('.bad'))) {
    return {
      name,
      isFile: true,
      isDirectory: false,
      file(done: (file: File) => void, failed: (error: unknown) => void) {
        setImmediate(() =>
          typeof value === 'string' ? done(new File([value], name)) : failed(value),
        )
      },
    } as unknown as FileSystemEntry
  }
  return {
    name,
    isFile: false,
    isDirectory: true,
    createReader() {
      const left = value instanceof Error ? [] : Object.entries(value)
      return {
        readEntries(done: (entries: FileSystemEntry[]) => void, failed: (error: unknown) => void) {
          if (value instanceof Error) return setImmediate(() => failed(value))
          const some = left.splice(0, 100).map(([child, sub]) => makeEntry(child, sub))
          setImmediate(() => done(some))
        },
      }
    },
  } as unknown as FileSystemEntry
}

function makeDrop(tree: Tree): DataTransfer {
  const items = Object.entries(tree).map(([name, value]) => ({
    kind: 'file',
    webkitGetAsEntry: () => makeEntry(name, value),
    getAsFile: () => null,
  }))
  return { items, files: [] } as unknown as DataTransfer
}

const dropped = (tree: Tree) => captureDrop(makeDrop(tree))

async function readAll(scan: Scan, signal = new AbortController().signal): Promise<ScannedEntry[]> {
  const all: ScannedEntry[] = []
  for await (const batch of scan.entries(signal)) all.push(...batch)
  return all
}

test('a dropped tree is read whole, with folders of more than a hundred and empty ones', async () => {
  const many: Tree = {}
  for (let n = 0; n < 250; n++) many[`f${n}`] = 'x'
  const scan = scanDrop(dropped({ trip: { many, empty: {}, 'a#b?%.txt': 'x' }, 'top.txt': 'x' }))
  expect(await scan.readTop()).toEqual([
    { name: 'trip', isDir: true },
    { name: 'top.txt', isDir: false },
  ])
  const entries = await readAll(scan)
  expect(entries).toHaveLength(253)
  const paths = entries.map(({ sourcePath }) => sourcePath)
  expect(paths).toContain('trip/many/f249')
  expect(paths).toContain('trip/a#b?%.txt')
  expect(entries.find(({ sourcePath }) => sourcePath === 'trip/empty')?.file).toBe(null)
  expect(paths).not.toContain('trip')
})

test('a drop of thousands is listed at once; no item but the first is asked for its entry', async () => {
  const tree: Tree = { folder: { 'in.txt': 'x' } }
  for (let n = 0; n < 5000; n++) tree[`f${n}`] = 'x'
  let asked = 0
  const item = (name: string) => ({
    kind: 'file',
    webkitGetAsEntry() {
      asked++
      return { name, filesystem: { root: makeEntry('', tree) } }
    },
    getAsFile: () => new File(['x'], name),
  })
  const drop = { items: Object.keys(tree).map(item), files: [] } as unknown as DataTransfer
  vi.stubGlobal('webkitRequestFileSystem', () => {})
  onTestFinished(() => void vi.unstubAllGlobals())
  const scan = scanDrop(captureDrop(drop))
  expect(asked).toBe(1)
  expect(scan.count).toBe(5001)
  expect(await scan.readTop()).toContainEqual({ name: 'folder', isDir: true })
  const paths = (await readAll(scan)).map(({ sourcePath }) => sourcePath)
  expect(paths).toHaveLength(5001)
  expect(paths).toContain('folder/in.txt')
})

test('what cannot be read is reported and does not stop the rest', async () => {
  const scan = scanDrop(
    dropped({ d: { 'x.bad': new Error('gone'), locked: new Error('denied'), 'ok.txt': 'x' } }),
  )
  const entries = await readAll(scan)
  expect(entries.map(({ sourcePath, unreadable }) => [sourcePath, unreadable])).toEqual([
    ['d/x.bad', true],
    ['d/ok.txt', false],
    ['d/locked', true],
  ])
})

test('an abort ends the reading early', async () => {
  const controller = new AbortController()
  const scan = scanDrop(dropped({ a: { 'x.txt': 'x' }, b: { 'y.txt': 'y' }, 'z.txt': 'z' }))
  const seen: string[] = []
  for await (const batch of scan.entries(controller.signal)) {
    seen.push(...batch.map(({ sourcePath }) => sourcePath))
    controller.abort()
  }
  expect(seen).toEqual(['z.txt'])
})

test('a folder pick keeps the paths below the chosen folder', async () => {
  const file = new File(['x'], 'a.txt')
  Object.defineProperty(file, 'webkitRelativePath', { value: 'trip/day 1/a.txt' })
  const scan = scanFiles([file, new File(['y'], 'b.txt')])
  expect(await scan.readTop()).toEqual([
    { name: 'trip', isDir: true },
    { name: 'b.txt', isDir: false },
  ])
  const entries = await readAll(scan)
  expect(entries.map(({ sourcePath }) => sourcePath)).toEqual(['trip/day 1/a.txt', 'b.txt'])
})

test('pasted pictures are named by their time and stay apart; other files keep their names', () => {
  const at = new Date(2026, 10, 20, 9, 5, 7).getTime()
  const files = [
    new File(['x'], 'image.png'),
    new File(['y'], 'image.png'),
    new File(['z'], 'b.txt'),
  ]
  expect(nameClipboardFiles(files, at, 'Pasted picture').map(({ name }) => name)).toEqual([
    'Pasted picture 2026-11-20 09.05.07.png',
    'Pasted picture 2026-11-20 09.05.07 (2).png',
    'b.txt',
  ])
})

test('attempts wait 0, 1, 2, 4 … seconds and never more than 20', () => {
  expect(retryDelaysMs(8)).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000])
  expect(retryDelaysMs(0)).toEqual([])
  expect(retryDelaysMs(-3)).toEqual([])
})

test('refusals are final, troubles on the way are tried again', () => {
  for (const status of [400, 401, 403, 409, 413, 507])
    expect(isRetryable(status, 'POST')).toBe(false)
  for (const status of [0, 408, 429, 500, 502, 503, 504])
    expect(isRetryable(status, 'POST')).toBe(true)
  expect(isRetryable(409, 'PATCH')).toBe(true)
  expect(failureCode(507, null)).toBe('no_space')
  expect(failureCode(0, null)).toBe('network')
  expect(failureCode(409, null)).toBe('exists')
  // Another window sends the same upload: nothing to replace or to rename.
  expect(failureCode(409, 'conflict')).toBe('conflict')
  expect(failureCode(418, null)).toBe('internal')
})
