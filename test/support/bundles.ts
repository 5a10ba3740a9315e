// Bundles as clients send them, and the lines of the answer.
import { request } from 'node:http'
import { pack } from 'tar-stream'

export interface Line {
  name?: string
  status: number
  code?: string
}

export interface Part {
  name: string
  content?: string | Uint8Array
  mtimeMs?: number
  type?: 'file' | 'directory' | 'symlink'
  linkname?: string
}

/** A tar with these entries, in order. */
export async function tarOf(parts: readonly Part[]): Promise<Buffer> {
  const tar = pack()
  for (const { name, content = '', mtimeMs = 0, type = 'file', linkname } of parts) {
    const pax = { mtime: String(mtimeMs / 1000) }
    const header = { name, type, pax, ...(linkname !== undefined && { linkname }) }
    if (type === 'file') tar.entry(header, Buffer.from(content as string))
    else tar.entry(header)
  }
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
}

/** Sends the beginning of a bundle of which more is announced; `cut` ends the connection. */
export function sendPart(port: number, token: string, path: string, bytes: Buffer) {
  const headers = { 'X-Auth': token, 'Content-Length': bytes.length + 1_000_000 }
  const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers })
  asked.on('error', () => {})
  let text = ''
  asked.on('response', (response) => {
    response.on('error', () => {})
    response.on('data', (chunk) => {
      text += chunk
    })
  })
  asked.write(bytes)
  return {
    lines: () => linesOf(text.slice(0, text.lastIndexOf('\n') + 1)),
    more: (rest: Buffer) => void asked.write(rest),
    cut: () => asked.destroy(),
  }
}
