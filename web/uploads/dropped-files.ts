// Reads what a person dropped, picked or pasted, piece by piece: a folder of ten thousand files is
// handed on while it is still being read, and the page stays free in between.

import type { CapturedDrop, DroppedThing } from './drop/capture-drop.ts'

/** One thing to upload, its path below the target as it was on the sender's computer. */
export interface ScannedEntry {
  /** `/`-separated, no leading slash. */
  sourcePath: string
  /** Null for a folder without files, which must be made by itself, and for an unreadable entry. */
  file: File | null
  /** It exists but could not be read: no permission, or gone meanwhile. */
  unreadable: boolean
}

/** What the top of a drop or pick is called: all that is needed to look for clashes early. */
export interface TopEntry {
  name: string
  isDir: boolean
}

export interface Scan {
  count: number
  readTop(): Promise<TopEntry[]>
  /** Yields in batches; abort ends it without an error. */
  entries(signal: AbortSignal): AsyncGenerator<ScannedEntry[]>
  /** With which its files are found again after a reload; null where there are none. */
  handles?: CapturedDrop['handles']
}

const BATCH_SIZE = 100

/** Reads a drop; `captureDrop` has taken it in the event handler. */
export function scanDrop({ count, root, things: taken, handles }: CapturedDrop): Scan {
  if (root === null && taken.every((thing) => thing instanceof File)) return scanFiles(taken)
  const found: Promise<readonly DroppedThing[]> =
    root === null ? Promise.resolve(taken) : readAll(root.createReader()).catch(() => taken)

  async function split() {
    const things = await found
    const loose = things.filter((thing) => thing instanceof File)
    const roots = things.filter((thing): thing is FileSystemEntry => !(thing instanceof File))
    return { roots, plain: scanFiles(loose) }
  }

  return {
    count,
    handles,
    async readTop() {
      const { roots, plain } = await split()
      const names = roots.map(({ name, isDirectory }) => ({ name, isDir: isDirectory }))
      return [...names, ...(await plain.readTop())]
    },
    async *entries(signal) {
      const { roots, plain } = await split()
      yield* walkEntries(roots, '', signal)
      yield* plain.entries(signal)
    },
  }
}

/** Files of an input element, a paste or code; folder picks carry their path in the file. */
export function scanFiles(files: readonly File[]): Scan {
  const top = new Map<string, TopEntry>()
  for (const file of files) {
    const [first = '', ...rest] = pathOf(file).split('/')
    if (!top.has(first)) top.set(first, { name: first, isDir: rest.length > 0 })
  }
  return {
    count: files.length,
    readTop: async () => [...top.values()],
    async *entries(signal) {
      for (let at = 0; at < files.length; at += BATCH_SIZE) {
        if (signal.aborted) return
        yield files
          .slice(at, at + BATCH_SIZE)
          .map((file) => ({ sourcePath: pathOf(file), file, unreadable: false }))
        await yieldToPage()
      }
    },
  }
}

/** Images in a paste get a name that says when, as browsers call them all `image.png`. */
export function nameClipboardFiles(files: readonly File[], nowMs: number, label: string): File[] {
  const taken = new Set<string>()
  return files.map((file) => {
    if (!/^image\.\w+$/.test(file.name)) return file
    const extension = file.name.slice(file.name.lastIndexOf('.'))
    const stem = `${label} ${toFileStamp(nowMs)}`
    let name = stem + extension
    for (let n = 2; taken.has(name); n++) name = `${stem} (${n})${extension}`
    taken.add(name)
    return new File([file], name, { type: file.type, lastModified: nowMs })
  })
}

/** Lets the page handle input and draw before going on. */
function yieldToPage(): Promise<void> {
  return new Promise((resolve) => {
    const channel = new MessageChannel()
    channel.port1.onmessage = () => {
      channel.port1.close()
      resolve()
    }
    channel.port2.postMessage(null)
  })
}

function pathOf(file: File): string {
  return file.webkitRelativePath || file.name
}

function toFileStamp(ms: number): string {
  const at = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day} ${two(at.getHours())}.${two(at.getMinutes())}.${two(at.getSeconds())}`
}

async function readAll(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  const all: FileSystemEntry[] = []
  // readEntries gives at most a hundred at a time and an empty list at the end.
  for (;;) {
    const some = await readSome(reader)
    if (some.length === 0) return all
    for (const entry of some) all.push(entry)
  }
}

async function* walkEntries(
  entries: readonly FileSystemEntry[],
  parentPath: string,
  signal: AbortSignal,
): AsyncGenerator<ScannedEntry[]> {
  const files = entries.filter((entry) => entry.isFile)
  for (let at = 0; at < files.length; at += BATCH_SIZE) {
    if (signal.aborted) return
    yield await Promise.all(
      files.slice(at, at + BATCH_SIZE).map((entry) => readFile(entry, parentPath)),
    )
  }
  for (const entry of entries) {
    if (!entry.isDirectory) continue
    if (signal.aborted) return
    const sourcePath = parentPath + entry.name
    let children: FileSystemEntry[]
    try {
      children = await readAll((entry as FileSystemDirectoryEntry).createReader())
    } catch {
      // A folder that cannot be listed is reported; its siblings are still read.
      yield [{ sourcePath, file: null, unreadable: true }]
      continue
    }
    if (children.length === 0) yield [{ sourcePath, file: null, unreadable: false }]
    else yield* walkEntries(children, `${sourcePath}/`, signal)
  }
}

function readFile(entry: FileSystemEntry, parentPath: string): Promise<ScannedEntry> {
  const sourcePath = parentPath + entry.name
  return new Promise((resolve) => {
    const file = entry as FileSystemFileEntry
    file.file(
      (value) => resolve({ sourcePath, file: value, unreadable: false }),
      () => resolve({ sourcePath, file: null, unreadable: true }),
    )
  })
}

function readSome(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject))
}
