// The preview process: jobs on stdin, pictures on stdout, nothing else. A process and not a thread,
// so that a decoder that crashes or swells takes only itself along. Ends when stdin does.
import { constants, type FileHandle, open } from 'node:fs/promises'
import { setPriority } from 'node:os'
import {
  createFrameReader,
  encodeFrame,
  PreviewError,
  type PreviewJob,
  type PreviewReply,
} from './protocol.ts'
import { createRenderer } from './render.ts'

/** Previews wait rather than requests. */
const NICE = 10

type Render = ReturnType<typeof createRenderer>

async function answer(render: Render, job: PreviewJob): Promise<void> {
  const reply: PreviewReply = { id: job.id }
  let body: Uint8Array = new Uint8Array()
  let handle: FileHandle | undefined
  try {
    handle = await open(job.path, constants.O_RDONLY)
    const stats = await handle.stat({ bigint: true })
    if (stats.ino.toString() !== job.ino || !stats.isFile())
      throw new PreviewError('undecodable', 'the file was replaced meanwhile')
    // By descriptor where that has a name: what was checked is what the decoders open.
    const path = process.platform === 'linux' ? `/proc/${process.pid}/fd/${handle.fd}` : job.path
    const result = await render(job, path, Number(stats.size))
    if (result === 'original') reply.original = true
    else {
      reply.contentType = result.contentType
      body = result.bytes
    }
  } catch (error) {
    reply.failure = error instanceof PreviewError ? error.failure : 'undecodable'
    reply.message = error instanceof Error ? error.message : String(error)
  } finally {
    await handle?.close()
  }
  process.stdout.write(encodeFrame(reply, body))
}

function start(): void {
  try {
    setPriority(NICE)
  } catch {
    // Some sandboxes do not allow it; previews are only a little less polite then.
  }
  // libheif reports damaged files there, which is no frame of ours.
  console.log = () => {}
  const render = createRenderer()
  const read = createFrameReader<PreviewJob>()
  process.stdin.on('data', (chunk: Buffer) => {
    for (const { head } of read(chunk)) void answer(render, head)
  })
  process.stdin.on('end', () => process.exit(0))
  process.stdout.on('error', () => process.exit(0))
}

start()
