// Resumable uploads as a client sends them, to any of several servers.

export interface Answer {
  status: number
  /** -1 where none was told. */
  offset: number
}

/** Calls of one account at one server for one path below the served folder. */
export interface Tus {
  create(sizeBytes: number, options?: { override?: boolean }): Promise<number>
  append(offset: number, bytes: Buffer): Promise<Answer>
  /** How far it has come. */
  head(): Promise<Answer>
  remove(): Promise<number>
}

export function tusAt(origin: string, token: string, path: string): Tus {
  const ask = async (method: string, headers: Record<string, string>, more: RequestInit = {}) => {
    const query = method === 'POST' && headers.override === 'true' ? '?override=true' : ''
    const response = await fetch(`${origin}/api/tus/${path}${query}`, {
      method,
      headers: { 'X-Auth': token, ...headers },
      ...more,
    })
    await response.arrayBuffer()
    return { status: response.status, offset: Number(response.headers.get('upload-offset') ?? -1) }
  }
  return {
    create: async (sizeBytes, { override = false } = {}) =>
      (await ask('POST', { 'Upload-Length': String(sizeBytes), override: String(override) }))
        .status,
    append: (offset, bytes) => ask('PATCH', pieceHeaders(offset), { body: new Uint8Array(bytes) }),
    head: () => ask('HEAD', {}),
    remove: async () => (await ask('DELETE', {})).status,
  }
}

/** Of a request that brings the bytes from `offset` on. */
export function pieceHeaders(offset: number): Record<string, string> {
  return { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) }
}
