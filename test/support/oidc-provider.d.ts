// What the tests use of it; the package has no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    on(event: string, listener: (context: unknown, error: Error) => void): void
    callback(): (request: IncomingMessage, response: ServerResponse) => void
  }
}
