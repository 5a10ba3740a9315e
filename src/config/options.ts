// The table of everything that can be configured by flag, environment, file and (for some) the
// database. A new option is one entry here; help, completion, docs and merging follow from it.

import { HOMEPAGE } from '../lib/version.ts'
import { SECOND_FACTOR_POLICIES } from '../store/document.ts'
import { parseFetchFrom } from './fetch-from.ts'
import { NODE_OPTIONS } from './node-options.ts'
import { OIDC_OPTIONS } from './oidc-options.ts'
import { inGroup, type Option, onOff, parsed, text } from './option.ts'
import {
  envNameOf,
  integerBetween,
  oneOf,
  orEmpty,
  parseCsvLine,
  parseDrain,
  parseDuration,
  parseHosts,
  parseKeepSize,
  parseLink,
  parseMode,
  parseOrigin,
  parsePieceSize,
  parsePort,
  parsePositiveDuration,
  parsePrivateListener,
  parseProxyList,
  parseRateLimit,
  parseRoots,
  parseSize,
  parseSources,
  parseTrash,
  parseVariableNames,
  type RateLimit,
} from './option-values.ts'
import { LDAP_OPTIONS } from './options-ldap.ts'
import { SENDFILE } from './sendfile.ts'

export const OPTIONS = {
  ...inGroup('Listening', {
    address: text('ADDRESS', 'Address to listen on; 0.0.0.0 opens it to the network', {
      default: '127.0.0.1',
      short: 'a',
      stored: 'address',
    }),
    port: parsed(
      'PORT',
      parsePort,
      '8080',
      'Port to listen on, a number or a service name; 0 picks a free one',
      { short: 'p', stored: 'port' },
    ),
    socket: text('PATH', 'Unix socket to listen on instead of address and port', {
      stored: 'socket',
    }),
    socketPerm: parsed('MODE', parseMode, '0666', 'Permissions of the unix socket', {
      deprecated: ['socket-perm'],
      env: ['FB_SOCKETPERM'],
    }),
    cert: text('FILE', 'TLS certificate (PEM); read again on SIGHUP', {
      short: 't',
      stored: 'tlsCert',
    }),
    key: text('FILE', 'Key of the TLS certificate (PEM)', { short: 'k', stored: 'tlsKey' }),
    baseURL: text('PATH', 'Path prefix behind a reverse proxy, such as /files', {
      short: 'b',
      stored: 'baseURL',
      deprecated: ['baseurl'],
    }),
    trustedProxies: parsed(
      'LIST',
      (line) => parseProxyList(parseCsvLine(line)),
      '',
      'Proxies whose forwarding and identity headers are believed: addresses, CIDR blocks, ' +
        '"loopback", "private"; without it this machine',
      { ours: true },
    ),
    allowedHosts: parsed(
      'NAMES',
      parseHosts,
      '',
      'Host names that are answered besides localhost and addresses; without it all, or none where ' +
        'nobody signs in on a loopback address',
      { ours: true },
    ),
    drainDelay: parsed(
      'DURATION',
      parseDrain,
      '0s',
      'How long requests are still taken after a stop signal, while /ready says that they should go elsewhere',
      { ours: true },
    ),
    drainTimeout: parsed(
      'DURATION',
      parseDrain,
      '10s',
      'How long running requests may take to finish at a stop; then they are cut off',
      { ours: true },
    ),
    externalURL: parsed(
      'ORIGIN',
      parseOrigin,
      '',
      'Address that people open, such as https://files.example.org, for passkeys and providers; without it that of ' +
        'each request',
      { ours: true },
    ),
    contentOrigin: parsed(
      'ORIGIN',
      parseOrigin,
      '',
      'Second address of this server from which files opened in a tab are shown',
      { ours: true },
    ),
    frameAncestors: parsed(
      'ORIGINS',
      parseSources,
      '',
      'Other origins whose pages may show this one in a frame, such as https://home.example',
      { ours: true },
    ),
    sendfile: SENDFILE,
    styleSources: parsed(
      'ORIGINS',
      parseSources,
      '',
      'Other origins from which custom.css may load style sheets, images and fonts',
      { ours: true },
    ),
  }),
  ...inGroup('Files', {
    root: text('FOLDER', 'Folder to serve', { default: '.', short: 'r', stored: 'root' }),
    roots: parsed(
      'NAME=FOLDER,…',
      parseRoots,
      '',
      'Further folders of this machine, from which administrators give out folders: photos=/mnt/photos',
      { ours: true, isMap: true },
    ),
    followExternalSymlinks: onOff('Follow symbolic links that leave a user scope', {
      stored: 'followExternalSymlinks',
    }),
    disableTypeDetectionByHeader: onOff(
      'Tell file types in listings by name only, without reading the first bytes',
      { stored: '!typeDetectionByHeader', deprecated: ['disable-type-detection-by-header'] },
    ),
    disableExec: onOff('Refuse shell commands and command hooks (set to false to allow them)', {
      default: 'true',
      stored: '!enableExec',
      deprecated: ['disable-exec'],
    }),
    hookEnv: parsed(
      'NAMES',
      parseVariableNames,
      '',
      'Environment variables handed to hooks, sign-in programs and shell commands: A,B',
      { ours: true },
    ),
    webhookSecret: text('SECRET', 'Key that signs webhook calls (HMAC-SHA256)', {
      ours: true,
      secret: true,
    }),
    jobsPerDisk: parsed(
      'NUMBER',
      integerBetween(1, 64),
      '2',
      'Background jobs that work on a disk at the same time; a spinning disk has one',
      { ours: true },
    ),
    extractMaxSize: parsed(
      'SIZE',
      parseSize,
      '100GiB',
      'Most that may come out of one archive that is unpacked here',
      { ours: true },
    ),
    bsdtarPath: text('PROGRAM', 'Program that unpacks 7z and rar above 256 MiB; empty for none', {
      default: 'bsdtar',
      ours: true,
    }),
    fetchFrom: parsed(
      'HOSTS',
      parseFetchFrom,
      '',
      'Hosts from which files may be fetched onto the server: names, *.example.org, addresses, or "public" for all that are on the internet; empty switches it off',
      { ours: true },
    ),
    fetchMaxSize: parsed(
      'SIZE',
      parseSize,
      '100GiB',
      'Most that one file fetched from an address may have',
      { ours: true },
    ),
    tusExpiry: parsed(
      'DURATION',
      parsePositiveDuration,
      '24h',
      'How long an unfinished upload is kept',
      { ours: true },
    ),
    keepAge: parsed(
      'DURATION',
      orEmpty(parsePositiveDuration),
      '',
      'How long deleted entries and versions are kept, such as 30d; empty leaves it to the settings',
      { ours: true },
    ),
    keepSize: parsed(
      'SIZE',
      orEmpty(parseKeepSize),
      '',
      'Most that deleted entries and versions may take of each disk, such as 10% or 50GiB; empty leaves it to the settings',
      { ours: true },
    ),
    versions: onOff('Keep the old content of files that are replaced', {
      default: 'true',
      ours: true,
    }),
    trash: parsed(
      'all|own|off',
      parseTrash,
      'all',
      'What deletions go into the trash: all, those that ask for it as the interface does (own), or none',
      { ours: true },
    ),
    dav: onOff('Serve the files by WebDAV at /dav/ too', { default: 'true', ours: true }),
    davOrigins: parsed(
      'ORIGINS',
      parseSources,
      '',
      'Other origins whose pages may use WebDAV, such as https://app.keeweb.info',
      { ours: true },
    ),
    davPasswords: onOff('Take account passwords by WebDAV, besides API tokens', { ours: true }),
    redisCacheUrl: text('URL', 'Accepted for old start scripts; not needed any more', {
      deprecated: ['redis-cache-url'],
    }),
  }),
  ...inGroup('Sign-in', {
    tokenExpirationTime: parsed(
      'DURATION',
      (value) => (value === '' ? parseDuration('2h') : parsePositiveDuration(value)),
      '2h',
      'Life of a token; sessions renew theirs',
      { stored: 'tokenExpirationTime', deprecated: ['token-expiration-time'] },
    ),
    sessionIdle: parsed(
      'DURATION',
      parsePositiveDuration,
      '7d',
      'A session ends after this time without use',
      { ours: true },
    ),
    sessionMax: parsed(
      'DURATION',
      parsePositiveDuration,
      '30d',
      'A session ends this long after sign-in, used or not',
      { ours: true },
    ),
    loginRateLimit: parsed<RateLimit>(
      'N/TIME',
      parseRateLimit,
      '10/15m',
      'Failed sign-ins allowed from one address in that time, whatever the accounts; 0 for no limit',
      { ours: true },
    ),
    secondFactor: parsed(
      'WHO',
      oneOf('', ...SECOND_FACTOR_POLICIES),
      '',
      'Who signs in with a second step: off, optional, administrators or everyone; empty leaves it to the settings',
      { ours: true },
    ),
    ...OIDC_OPTIONS,
    'branding.helpURL': parsed(
      'URL',
      parseLink,
      HOMEPAGE,
      'Address behind the help link; empty hides it',
      { ours: true },
    ),
  }),
  ...LDAP_OPTIONS,
  ...inGroup('Previews', {
    cacheDir: text('FOLDER', 'Keep resized images in this folder; empty keeps none', {
      deprecated: ['cache-dir'],
    }),
    previewCacheSize: parsed(
      'SIZE',
      parseSize,
      '1GiB',
      'Most that cacheDir may hold; 0 for no limit',
      { ours: true },
    ),
    imageProcessors: parsed(
      'NUMBER',
      integerBetween(1, 256),
      '4',
      'Images resized at the same time',
      { deprecated: ['img-processors'] },
    ),
    ffmpegPath: text('PROGRAM', 'Program that makes video previews; empty disables them', {
      default: 'ffmpeg',
      ours: true,
    }),
    disableThumbnails: onOff('Make no thumbnails', {
      stored: '!enableThumbnails',
      deprecated: ['disable-thumbnails'],
    }),
    disablePreviewResize: onOff('Show images in their full size instead of a resized preview', {
      stored: '!resizePreview',
      deprecated: ['disable-preview-resize'],
    }),
    disableImageResolutionCalc: onOff('Do not report the width and height of images', {
      stored: '!imageResolutionCalculation',
    }),
  }),
  ...inGroup('Logging', {
    log: text('TARGET', 'stdout, stderr, a file (rotated at 100 MB), or empty for none', {
      default: 'stdout',
      short: 'l',
      stored: 'log',
    }),
    logFormat: parsed('FORMAT', oneOf('text', 'json'), 'text', 'Log lines as text or json', {
      ours: true,
    }),
    metrics: parsed(
      'ADDRESS:PORT',
      parsePrivateListener,
      '',
      'Figures for Prometheus at /metrics of this address, loopback or private; empty has none',
      { ours: true },
    ),
    audit: text('TARGET', 'Who did what: file (beside the database), a path, stdout or off', {
      default: 'file',
      ours: true,
    }),
    auditSize: parsed(
      'SIZE',
      parsePieceSize,
      '100MB',
      'Most that the audit log may take, in ten pieces; the oldest goes first',
      { ours: true },
    ),
    auditAge: parsed(
      'DURATION',
      parsePositiveDuration,
      '90d',
      'How long lines of the audit log are kept',
      { ours: true },
    ),
  }),
  ...inGroup('Several nodes', NODE_OPTIONS),
  ...inGroup('First start', {
    username: text('NAME', 'Name of the administrator made with a new database', {
      default: 'admin',
    }),
    password: text(
      'PASSWORD',
      'Password of that administrator, plain or from "filebrowser hash"; empty makes one',
    ),
    noauth: onOff('Let a new database serve without signing in'),
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
