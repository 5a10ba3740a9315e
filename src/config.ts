// What the server runs with: one frozen Config, finished when loaded. Every later module trusts it.

/** Failed sign-ins allowed within a window before answers become 429; `attempts` 0 turns it off. */
export interface RateLimit {
  readonly attempts: number
  readonly windowMs: number
}

export interface Config {
  /** Absolute path of the served folder; existence is not guaranteed. */
  readonly root: string
  /** Host name or IP to listen on, empty for all interfaces. IPv6 without brackets. */
  readonly address: string
  /** Port number; 0 lets the system choose. */
  readonly port: number
  /** Absolute path of the unix socket to listen on, empty for TCP. */
  readonly socket: string
  /** Permission bits of the socket file. */
  readonly socketPerm: number
  /** PEM files, both set or both empty. */
  readonly cert: string
  readonly key: string
  /** Empty, or `/prefix` without a trailing slash. */
  readonly baseURL: string
  /** Absolute path given by the user; the JSON document may live beside it (`<path>.json`). */
  readonly database: string
  /** `stdout`, `stderr`, empty (nowhere) or an absolute file path. */
  readonly log: string
  readonly logFormat: 'text' | 'json'
  /** Absolute folder for resized images, empty for memory only. */
  readonly cacheDir: string
  /** Bytes kept in `cacheDir` before the oldest previews go; 0 means unlimited. */
  readonly previewCacheSizeBytes: number
  /** Image resizes running at once, at least 1. */
  readonly imageProcessors: number
  /** Program that makes frames of videos; empty disables. */
  readonly ffmpegPath: string
  readonly tokenExpirationMs: number
  readonly sessionIdleMs: number
  readonly sessionMaxMs: number
  readonly tusExpiryMs: number
  readonly loginRateLimit: RateLimit
  readonly enableThumbnails: boolean
  readonly resizePreview: boolean
  readonly enableExec: boolean
  readonly typeDetectionByHeader: boolean
  readonly imageResolutionCalculation: boolean
  readonly followExternalSymlinks: boolean
  /**
   * Addresses and CIDR blocks whose forwarding and identity headers are believed; null when the
   * option is not set, which differs from an empty list (believe nobody).
   */
  readonly trustedProxies: readonly string[] | null
  /** Origin (`https://content.example.org`) that serves user files to browsers, empty for ours. */
  readonly contentOrigin: string
  /** Key of the HMAC-SHA256 signature on webhook calls; empty sends none. */
  readonly webhookSecret: string
  /** Address behind the help and report links; empty hides them. */
  readonly helpURL: string
  /** First start only. */
  readonly noauth: boolean
  readonly username: string
  /** First start only: plain text or a hash; empty makes a random one. */
  readonly password: string
  /** Product version, without a leading `v`. */
  readonly version: string
  /** Short commit of the build. */
  readonly commit: string
}
