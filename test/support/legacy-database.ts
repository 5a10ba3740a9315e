// Random databases of the old program with what an import must make of them.
import { type BoltWriterOptions, type BucketContent, writeBolt } from './bolt-writer.ts'

export interface LegacyContent {
  settings: Record<string, unknown>
  server: Record<string, unknown>
  auther: Record<string, unknown>
  users: Record<string, unknown>[]
  shares: Record<string, unknown>[]
  lastUserId: number
}

/** A small generator with a seed, so that a failing database can be made again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state / 2 ** 32
  }
}

export const LEGACY_HASH = '$2a$10$uNCXfQo5KxoNCVoqPLz.reqfK/ksFV.ogkBUFQagOJNJbPKTXaMa2'

export function legacySettings(extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    key: Buffer.alloc(64, 7).toString('base64'),
    signup: false,
    hideLoginButton: true,
    createUserDir: false,
    userHomeBasePath: '/users',
    defaults: {
      scope: '.',
      locale: 'en',
      viewMode: 'mosaic',
      singleClick: false,
      redirectAfterCopyMove: true,
      sorting: { by: '', asc: false },
      perm: permissions(() => 0.9),
      commands: [],
      hideDotfiles: false,
      dateFormat: false,
      aceEditorTheme: '',
    },
    authMethod: 'json',
    logoutPage: '/login',
    branding: {
      name: '',
      disableExternal: false,
      disableUsedPercentage: false,
      files: '',
      theme: '',
      color: '',
    },
    tus: { chunkSize: 10485760, retryCount: 5 },
    commands: {},
    shell: [],
    rules: [],
    minimumPasswordLength: 12,
    fileMode: 416,
    dirMode: 488,
    hideDotfiles: false,
    ...extra,
  }
}

export function legacyServer(extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    root: '/srv',
    baseURL: '',
    socket: '',
    tlsKey: '',
    tlsCert: '',
    port: '8080',
    address: '127.0.0.1',
    log: 'stdout',
    enableThumbnails: true,
    resizePreview: true,
    enableExec: false,
    typeDetectionByHeader: true,
    imageResolutionCalculation: true,
    authHook: '',
    tokenExpirationTime: '2h',
    followExternalSymlinks: false,
    ...extra,
  }
}

function permissions(random: () => number): Record<string, boolean> {
  const names = ['admin', 'execute', 'create', 'rename', 'modify', 'delete', 'share', 'download']
  return Object.fromEntries(names.map((name) => [name, random() < 0.5]))
}

export function legacyUser(
  id: number,
  random: () => number = () => 0.9,
  extra: Record<string, unknown> = {},
): Record<string, unknown> {
  const pick = <T>(...items: T[]): T => items[Math.floor(random() * items.length)] as T
  const rules = Array.from({ length: Math.floor(random() * 3) }, (_, i) => ({
    regex: i % 2 === 1,
    allow: random() < 0.5,
    path: i % 2 === 1 ? '' : `/private ${i}`,
    regexp: i % 2 === 1 ? { raw: '(?i)\\.key$' } : null,
  }))
  return {
    id,
    username: `user ${id} ü${'x'.repeat(Math.floor(random() * 20))}`,
    password: LEGACY_HASH,
    scope: pick('.', '/', `/home/${id}`),
    locale: pick('en', 'de', 'zh-cn', ''),
    lockPassword: random() < 0.5,
    viewMode: pick('list', 'mosaic', 'mosaic gallery'),
    singleClick: random() < 0.5,
    redirectAfterCopyMove: random() < 0.5,
    perm: permissions(random),
    // Now and then a record that needs several pages.
    commands: random() < 0.05 ? Array.from({ length: 900 }, (_, i) => `command-${i}`) : ['git'],
    sorting: { by: pick('name', 'size', 'modified'), asc: random() < 0.5 },
    rules,
    hideDotfiles: random() < 0.5,
    dateFormat: random() < 0.5,
    aceEditorTheme: pick('', 'nord'),
    ...extra,
  }
}

export function randomContent(seed: number, userCount: number, shareCount: number): LegacyContent {
  const random = seeded(seed)
  const users: Record<string, unknown>[] = []
  let id = 0
  for (let i = 0; i < userCount; i++) {
    id += 1 + Math.floor(random() * 3)
    users.push(legacyUser(id, random))
  }
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const letters = (length: number) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * 64)]).join('')
  const shares = Array.from({ length: shareCount }, () => {
    const isProtected = random() < 0.3
    return {
      hash: letters(8),
      path: `/docs/${letters(12)} #%.txt`,
      userID: users[Math.floor(random() * users.length)]?.id ?? 1,
      expire: random() < 0.5 ? 0 : 4_000_000_000,
      ...(isProtected && { password_hash: LEGACY_HASH, token: letters(128) }),
    }
  })
  return {
    settings: legacySettings(),
    server: legacyServer(),
    auther: { recaptcha: null },
    users,
    shares,
    lastUserId: id + 2,
  }
}

export function idKey(id: number): Buffer {
  const key = Buffer.alloc(8)
  key.writeBigUInt64BE(BigInt(id))
  return key
}

/** The bytes of the database, with the index buckets the old program keeps. */
export function writeLegacyDatabase(
  content: LegacyContent,
  options: BoltWriterOptions = {},
): Buffer {
  const json = (value: unknown) => JSON.stringify(value)
  const metadata = (extra: [string, Buffer][] = []): BucketContent => ({
    records: [['codec', 'json'], ...extra],
  })
  const buckets: Record<string, BucketContent> = {
    __storm_db: { records: [['version', '"2.0.0"']], buckets: { __storm_metadata: metadata() } },
    config: {
      records: [
        ['settings', json(content.settings)],
        ['server', json(content.server)],
        ['auther', json(content.auther)],
        ['version', '2'],
      ],
      buckets: { __storm_metadata: metadata() },
    },
  }
  if (content.users.length > 0) {
    buckets.User = {
      records: content.users.map((user) => [idKey(Number(user.id)), json(user)] as const),
      buckets: {
        __storm_metadata: metadata([['IDcounter', idKey(content.lastUserId)]]),
        __storm_index_ID: {
          records: content.users.map(({ id }) => [idKey(Number(id)), idKey(Number(id))] as const),
        },
        __storm_index_Username: {
          records: content.users.map((u) => [String(u.username), idKey(Number(u.id))] as const),
        },
      },
    }
  }
  if (content.shares.length > 0) {
    buckets.Link = {
      records: content.shares.map((share) => [String(share.hash), json(share)] as const),
      buckets: {
        __storm_metadata: metadata(),
        __storm_index_Hash: {
          records: content.shares.map((s) => [`${s.hash}__${s.hash}`, String(s.hash)] as const),
          buckets: {
            storm__ids: {
              records: content.shares.map((s) => [String(s.hash), `${s.hash}__${s.hash}`] as const),
            },
          },
        },
      },
    }
  }
  return writeBolt(buckets, options)
}
