// A frame of a video by ffmpeg, when the host has it. The program gets one file, one container
// format out of a list, little time, and no network.
import { spawn } from 'node:child_process'
import { PreviewError } from './protocol.ts'

const RUN_MS = 20_000
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024
/** Of one frame: twice as much as 8K. A film may claim any size, and decoders make room for it. */
const MAX_PIXELS = 8192 * 8192
/** Of one piece of memory: a plane of such a frame, at 16 bits a pixel, and some. */
const MAX_ALLOC_BYTES = 256 * 1024 * 1024
/** A little into the film: the very first frame is often black. */
const SEEK_SECONDS = [3, 0]
/** No playlists: they name other files and addresses. */
const FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,flv,ogg,asf,dv,h264,hevc,mjpeg'

/** Gives the frame as a JPEG picture. Throws PreviewError `unsupported` when there is none. */
export async function grabVideoFrame(ffmpeg: string, path: string): Promise<Buffer> {
  for (const seconds of SEEK_SECONDS) {
    const frame = await runFfmpeg(ffmpeg, path, seconds)
    if (frame.length > 0) return frame
  }
  throw new PreviewError('unsupported', 'no frame in the video')
}

// Not by execFile: what the executable's packager puts around it cannot be awaited for its output.
function runFfmpeg(ffmpeg: string, path: string, seconds: number): Promise<Buffer> {
  const args = [
    ...['-nostdin', '-v', 'error', '-threads', '1'],
    ...['-max_alloc', String(MAX_ALLOC_BYTES), '-max_pixels', String(MAX_PIXELS)],
    ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', FORMATS],
    ...['-ss', String(seconds), '-i', `file:${path}`],
    ...['-map', '0:v:0', '-frames:v', '1', '-an', '-sn', '-dn'],
    ...[
      '-vf',
      "scale='min(1080,iw)':-2",
      '-f',
      'image2pipe',
      '-c:v',
      'mjpeg',
      '-q:v',
      '3',
      'pipe:1',
    ],
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpeg, args, { stdio: ['ignore', 'pipe', 'ignore'] })
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS)
    const chunks: Buffer[] = []
    let bytes = 0
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > MAX_OUTPUT_BYTES) child.kill('SIGKILL')
    })
    child.on('error', (error) => {
      clearTimeout(timer)
      reject(new PreviewError('unsupported', `${ffmpeg}: ${error.message}`))
    })
    child.on('close', (code) => {
      clearTimeout(timer)
      // No bytes: refused, or shorter than the seek position.
      resolve(code === 0 ? Buffer.concat(chunks) : Buffer.alloc(0))
    })
  })
}
