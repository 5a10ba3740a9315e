// A TCP proxy in front of a server, whose connections can be cut, or left open without a byte passing.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Cut extends AsyncDisposable {
  port: number
  /** Ends all connections and refuses new ones. */
  cut(): void
  /** Passes nothing on; connections stay open. */
  hang(): void
  /** Passes everything on again. */
  mend(): void
}

export async function cutInFront(port: number): Promise<Cut> {
  let state: 'open' | 'cut' | 'silent' = 'open'
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    if (state === 'cut') return from.destroy()
    const to = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.on('data', (bytes) => {
        if (state === 'open') other.write(bytes)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      state = 'cut'
      end()
    },
    hang: () => {
      state = 'silent'
    },
    // What was swallowed meanwhile would be missed.
    mend: () => {
      if (state === 'silent') end()
      state = 'open'
    },
    [Symbol.asyncDispose]: async () => {
      state = 'cut'
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
