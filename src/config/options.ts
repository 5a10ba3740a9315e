// The table of everything that can be configured by flag, environment, file and (for some) the
// database. A new option is one entry here; help, completion, docs and merging follow from it.

import { HOMEPAGE } from '../lib/version.ts'
import { SECOND_FACTOR_POLICIES } from '../store/document.ts'
import { type Option, option } from './option.ts'
import {
  envNameOf,
  integerBetween,
  oneOf,
  parseBoolean,
  parseCsvLine,
  parseDuration,
  parseHosts,
  parseLink,
  parseMode,
  parseOrigin,
  parsePieceSize,
  parsePort,
  parsePositiveDuration,
  parseProxyList,
  parseRateLimit,
  parseSize,
  parseSources,
  parseVariableNames,
  type RateLimit,
} from './option-values.ts'

const text = (value: string) => value

export const OPTIONS = {
  address: option({
    short: 'a',
    value: 'ADDRESS',
    parse: text,
    default: '127.0.0.1',
    group: 'Listening',
    stored: 'address',
    help: 'Address to listen on; 0.0.0.0 opens it to the network',
  }),
  port: option({
    short: 'p',
    value: 'PORT',
    parse: parsePort,
    default: '8080',
    group: 'Listening',
    stored: 'port',
    help: 'Port to listen on, a number or a service name; 0 picks a free one',
  }),
  socket: option({
    value: 'PATH',
    parse: text,
    default: '',
    group: 'Listening',
    stored: 'socket',
    help: 'Unix socket to listen on instead of address and port',
  }),
  socketPerm: option({
    value: 'MODE',
    parse: parseMode,
    default: '0666',
    group: 'Listening',
    deprecated: ['socket-perm'],
    env: ['FB_SOCKETPERM'],
    help: 'Permissions of the unix socket',
  }),
  cert: option({
    short: 't',
    value: 'FILE',
    parse: text,
    default: '',
    group: 'Listening',
    stored: 'tlsCert',
    help: 'TLS certificate (PEM); read again on SIGHUP',
  }),
  key: option({
    short: 'k',
    value: 'FILE',
    parse: text,
    default: '',
    group: 'Listening',
    stored: 'tlsKey',
    help: 'Key of the TLS certificate (PEM)',
  }),
  baseURL: option({
    short: 'b',
    value: 'PATH',
    parse: text,
    default: '',
    group: 'Listening',
    stored: 'baseURL',
    deprecated: ['baseurl'],
    help: 'Path prefix behind a reverse proxy, such as /files',
  }),
  trustedProxies: option({
    value: 'LIST',
    parse: (line) => parseProxyList(parseCsvLine(line)),
    default: '',
    group: 'Listening',
    ours: true,
    help:
      'Proxies whose forwarding and identity headers are believed: addresses, CIDR blocks, ' +
      '"loopback", "private"; without it this machine',
  }),
  allowedHosts: option({
    value: 'NAMES',
    parse: parseHosts,
    default: '',
    group: 'Listening',
    ours: true,
    help:
      'Host names that are answered besides localhost and addresses; without it all, or none where ' +
      'nobody signs in on a loopback address',
  }),
  contentOrigin: option({
    value: 'ORIGIN',
    parse: parseOrigin,
    default: '',
    group: 'Listening',
    ours: true,
    help: 'Second address of this server from which files opened in a tab are shown',
  }),
  frameAncestors: option({
    value: 'ORIGINS',
    parse: parseSources,
    default: '',
    group: 'Listening',
    ours: true,
    help: 'Other origins whose pages may show this one in a frame, such as https://home.example',
  }),
  styleSources: option({
    value: 'ORIGINS',
    parse: parseSources,
    default: '',
    group: 'Listening',
    ours: true,
    help: 'Other origins from which custom.css may load style sheets, images and fonts',
  }),
  root: option({
    short: 'r',
    value: 'FOLDER',
    parse: text,
    default: '.',
    group: 'Files',
    stored: 'root',
    help: 'Folder to serve',
  }),
  followExternalSymlinks: option({
    parse: parseBoolean,
    default: 'false',
    group: 'Files',
    stored: 'followExternalSymlinks',
    help: 'Follow symbolic links that leave a user scope',
  }),
  disableTypeDetectionByHeader: option({
    parse: parseBoolean,
    default: 'false',
    group: 'Files',
    stored: '!typeDetectionByHeader',
    deprecated: ['disable-type-detection-by-header'],
    help: 'Tell file types in listings by name only, without reading the first bytes',
  }),
  disableExec: option({
    parse: parseBoolean,
    default: 'true',
    group: 'Files',
    stored: '!enableExec',
    deprecated: ['disable-exec'],
    help: 'Refuse shell commands and command hooks (set to false to allow them)',
  }),
  hookEnv: option({
    value: 'NAMES',
    parse: parseVariableNames,
    default: '',
    group: 'Files',
    ours: true,
    help: 'Environment variables handed to hooks, sign-in programs and shell commands: A,B',
  }),
  webhookSecret: option({
    value: 'SECRET',
    parse: text,
    default: '',
    group: 'Files',
    ours: true,
    secret: true,
    help: 'Key that signs webhook calls (HMAC-SHA256)',
  }),
  tusExpiry: option({
    value: 'DURATION',
    parse: parsePositiveDuration,
    default: '24h',
    group: 'Files',
    ours: true,
    help: 'How long an unfinished upload is kept',
  }),
  tokenExpirationTime: option({
    value: 'DURATION',
    parse: (value) => (value === '' ? parseDuration('2h') : parsePositiveDuration(value)),
    default: '2h',
    group: 'Sign-in',
    stored: 'tokenExpirationTime',
    deprecated: ['token-expiration-time'],
    help: 'Life of a token; sessions renew theirs',
  }),
  sessionIdle: option({
    value: 'DURATION',
    parse: parsePositiveDuration,
    default: '7d',
    group: 'Sign-in',
    ours: true,
    help: 'A session ends after this time without use',
  }),
  sessionMax: option({
    value: 'DURATION',
    parse: parsePositiveDuration,
    default: '30d',
    group: 'Sign-in',
    ours: true,
    help: 'A session ends this long after sign-in, used or not',
  }),
  loginRateLimit: option<RateLimit>({
    value: 'N/TIME',
    parse: parseRateLimit,
    default: '10/15m',
    group: 'Sign-in',
    ours: true,
    help: 'Failed sign-ins allowed from one address in that time, whatever the accounts; 0 for no limit',
  }),
  secondFactor: option({
    value: 'WHO',
    parse: oneOf('', ...SECOND_FACTOR_POLICIES),
    default: '',
    group: 'Sign-in',
    ours: true,
    help: 'Who signs in with a second step: off, optional, administrators or everyone; empty leaves it to the settings',
  }),
  'branding.helpURL': option({
    value: 'URL',
    parse: parseLink,
    default: HOMEPAGE,
    group: 'Sign-in',
    ours: true,
    help: 'Address behind the help link; empty hides it',
  }),
  cacheDir: option({
    value: 'FOLDER',
    parse: text,
    default: '',
    group: 'Previews',
    deprecated: ['cache-dir'],
    help: 'Keep resized images in this folder; empty keeps none',
  }),
  previewCacheSize: option({
    value: 'SIZE',
    parse: parseSize,
    default: '1GiB',
    group: 'Previews',
    ours: true,
    help: 'Most that cacheDir may hold; 0 for no limit',
  }),
  imageProcessors: option({
    value: 'NUMBER',
    parse: integerBetween(1, 256),
    default: '4',
    group: 'Previews',
    deprecated: ['img-processors'],
    help: 'Images resized at the same time',
  }),
  ffmpegPath: option({
    value: 'PROGRAM',
    parse: text,
    default: 'ffmpeg',
    group: 'Previews',
    ours: true,
    help: 'Program that makes video previews; empty disables them',
  }),
  disableThumbnails: option({
    parse: parseBoolean,
    default: 'false',
    group: 'Previews',
    stored: '!enableThumbnails',
    deprecated: ['disable-thumbnails'],
    help: 'Make no thumbnails',
  }),
  disablePreviewResize: option({
    parse: parseBoolean,
    default: 'false',
    group: 'Previews',
    stored: '!resizePreview',
    deprecated: ['disable-preview-resize'],
    help: 'Show images in their full size instead of a resized preview',
  }),
  disableImageResolutionCalc: option({
    parse: parseBoolean,
    default: 'false',
    group: 'Previews',
    stored: '!imageResolutionCalculation',
    help: 'Do not report the width and height of images',
  }),
  log: option({
    short: 'l',
    value: 'TARGET',
    parse: text,
    default: 'stdout',
    group: 'Logging',
    stored: 'log',
    help: 'stdout, stderr, a file (rotated at 100 MB), or empty for none',
  }),
  logFormat: option({
    value: 'FORMAT',
    parse: oneOf('text', 'json'),
    default: 'text',
    group: 'Logging',
    ours: true,
    help: 'Log lines as text or json',
  }),
  audit: option({
    value: 'TARGET',
    parse: text,
    default: 'file',
    group: 'Logging',
    ours: true,
    help: 'Who did what: file (beside the database), a path, stdout or off',
  }),
  auditSize: option({
    value: 'SIZE',
    parse: parsePieceSize,
    default: '100MB',
    group: 'Logging',
    ours: true,
    help: 'Most that the audit log may take, in ten pieces; the oldest goes first',
  }),
  auditAge: option({
    value: 'DURATION',
    parse: parsePositiveDuration,
    default: '90d',
    group: 'Logging',
    ours: true,
    help: 'How long lines of the audit log are kept',
  }),
  username: option({
    value: 'NAME',
    parse: text,
    default: 'admin',
    group: 'First start',
    help: 'Name of the administrator made with a new database',
  }),
  password: option({
    value: 'PASSWORD',
    parse: text,
    default: '',
    group: 'First start',
    help: 'Password of that administrator, plain or from "filebrowser hash"; empty makes one',
  }),
  noauth: option({
    parse: parseBoolean,
    default: 'false',
    group: 'First start',
    help: 'Let a new database serve without signing in',
  }),
  redisCacheUrl: option({
    value: 'URL',
    parse: text,
    default: '',
    group: 'Files',
    deprecated: ['redis-cache-url'],
    help: 'Accepted for old start scripts; not needed any more',
  }),
} as const satisfies Record<string, Option<unknown>>

export type OptionKey = keyof typeof OPTIONS
export type OptionValues = {
  [K in OptionKey]: (typeof OPTIONS)[K] extends Option<infer T> ? T : never
}

export const OPTION_KEYS = Object.keys(OPTIONS) as OptionKey[]

/** The entry under its general type; the table itself keeps the value types apart. */
export function optionOf(key: OptionKey): Option<unknown> {
  return OPTIONS[key]
}

/** All environment names of an option, the documented one first. */
export function envNamesOf(key: OptionKey): string[] {
  return [...new Set([envNameOf(key), ...(optionOf(key).env ?? [])])]
}

/** Options whose value is kept in the stored server record (`config set` writes them). */
export function isStoredOption(key: OptionKey): boolean {
  return optionOf(key).stored !== undefined
}
