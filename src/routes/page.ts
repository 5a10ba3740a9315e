// The index page: boot settings, what to load first, and the policy that lets only that run.

import type { BootSettings } from '../api-types.ts'
import { oidcOptionsOf } from '../auth/oidc/options.ts'
import type { Config } from '../config/config.ts'
import { missingFormats } from '../files/archive/archive.ts'
import { parsePreferences } from '../http/accept.ts'
import type { Page } from '../http/assets.ts'
import { toJson } from '../http/respond.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { DEFAULT_LOGOUT_PAGE, type Settings } from '../store/document.ts'
import { isPostgresAddress } from '../store/postgres/address.ts'

export interface PageOptions {
  boot: BootSettings
  page: Page
  /** The branding folder has a favicon.ico and no favicon.svg: browsers would prefer ours. */
  hasOwnIco: boolean
  /** Fresh random text for each answer. */
  nonce: string
  /** The request's Accept-Language header, to fetch the right catalogue early. */
  acceptLanguage: string
}

const DEFAULT_NAME = 'File Browser'
const DEFAULT_COLOR = '#2979ff'

/** Start-up settings of the interface (docs/http-api.md 2.3). `hasCustomStyle`: branding has custom.css. */
export function presentBoot(
  config: Config,
  settings: Settings,
  hasCustomStyle: boolean,
): BootSettings {
  const { branding, auther, authMethod } = settings
  const recaptcha = authMethod === 'json' ? auther.recaptcha : null
  return {
    AuthMethod: authMethod,
    BaseURL: config.baseURL,
    CSS: hasCustomStyle,
    Color: branding.color,
    DisableExternal: branding.disableExternal,
    DisableUsedPercentage: branding.disableUsedPercentage,
    EnableExec: config.enableExec,
    EnableThumbs: config.enableThumbnails,
    ...providerOf(config, authMethod),
    HelpURL: branding.disableExternal ? '' : config.helpURL,
    HideLoginButton: settings.hideLoginButton,
    LoginPage: authMethod !== 'proxy' && authMethod !== 'noauth',
    LogoutPage: settings.logoutPage || DEFAULT_LOGOUT_PAGE,
    MinimumPasswordLength: settings.minimumPasswordLength,
    MissingArchives: missingFormats(),
    Name: branding.name,
    NoAuth: authMethod === 'noauth',
    ReCaptcha: recaptcha !== null && recaptcha.key !== '' && recaptcha.secret !== '',
    ...(recaptcha ? { ReCaptchaHost: recaptcha.host, ReCaptchaKey: recaptcha.key } : {}),
    ResizePreview: config.resizePreview,
    Signup: settings.signup,
    StaticURL: `${config.baseURL}/static`,
    Theme: branding.theme,
    Trash: config.trash,
    TusSettings: settings.tus,
    ...(config.versions && { Versions: true as const }),
    ...(isPostgresAddress(config.database) && { Nodes: true as const }),
    ...(config.dav && { Dav: true as const }),
    ...(config.fetchFrom && { Fetch: true as const }),
    Version: config.version,
  }
}

function providerOf(config: Config, authMethod: string): Pick<BootSettings, 'Provider'> {
  const oidc = authMethod === 'proxy' || authMethod === 'noauth' ? null : oidcOptionsOf(config)
  if (!oidc) return {}
  return { Provider: { Label: oidc.label, Auto: oidc.auto, Alone: !config.passwordLogin } }
}

/** Fills the template. Every inserted value is escaped for the place it goes to. */
export function renderPage({ boot, page, hasOwnIco, nonce, acceptLanguage }: PageOptions): string {
  const url = (name: string): string => escapeHtml(`${boot.StaticURL}/${name}`)
  const locale = pickLocale(acceptLanguage, Object.keys(page.locales))
  const catalogue = locale ? page.locales[locale] : undefined
  const preloads = [...page.imports, ...(catalogue ? [catalogue] : [])]
  const values: Record<string, string> = {
    title: escapeHtml(boot.Name || DEFAULT_NAME),
    color: escapeHtml(boot.Color || DEFAULT_COLOR),
    static: escapeHtml(boot.StaticURL),
    nonce,
    entry: escapeHtml(page.entry),
    // One line, so that tools that read the settings off the page find their end.
    boot: `${toJson(boot).replaceAll("'", '\\u0027')};`,
    icons: icons(url, hasOwnIco).join('\n    '),
    styles: page.styles
      .map((name) => `<link rel="stylesheet" href="${url(name)}" />`)
      .join('\n    '),
    preloads: preloads
      .map((name) => `<link rel="modulepreload" href="${url(name)}" />`)
      .join('\n    '),
    recaptcha: boot.ReCaptcha
      ? `<script nonce="${nonce}" src="${escapeHtml(`${boot.ReCaptchaHost}/recaptcha/api.js?render=explicit`)}" async defer></script>`
      : '',
    customStyle: boot.CSS ? `<link rel="stylesheet" href="${url('custom.css')}" />` : '',
  }
  return page.template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '')
}

// The first line serves browsers that know no SVG icons, and is all there is where only that was branded.
function icons(url: (name: string) => string, hasOwnIco: boolean): string[] {
  const ico = `<link rel="icon" href="${url('img/icons/favicon.ico')}" sizes="32x32" />`
  const svg = `<link rel="icon" href="${url('img/icons/favicon.svg')}" type="image/svg+xml" />`
  return hasOwnIco ? [ico] : [ico, svg]
}

/**
 * The page's Content-Security-Policy. Scripts: our own files and the one inline script with the
 * nonce. Styles: the same, and style attributes, which scripts may set anyway. `config` adds the
 * origins an administrator named for frames and for what custom.css loads.
 */
export function pagePolicy(
  nonce: string,
  boot: BootSettings,
  { frameAncestors, styleSources }: Pick<Config, 'frameAncestors' | 'styleSources'>,
): string {
  const recaptcha = boot.ReCaptcha
    ? [originOf(boot.ReCaptchaHost ?? ''), 'https://www.gstatic.com']
    : []
  const directives: Record<string, string[]> = {
    'default-src': ["'none'"],
    // WebAssembly is what the PDF and HEIC decoders are made of.
    'script-src': ["'self'", `'nonce-${nonce}'`, "'wasm-unsafe-eval'", ...recaptcha],
    'style-src': ["'self'", `'nonce-${nonce}'`, ...styleSources],
    'style-src-attr': ["'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:', ...styleSources],
    'media-src': ["'self'", 'blob:'],
    'font-src': ["'self'", 'data:', 'blob:', ...styleSources],
    'connect-src': ["'self'", 'blob:', 'data:'],
    'worker-src': ["'self'", 'blob:'],
    'frame-src': ["'self'", 'blob:', ...recaptcha],
    'manifest-src': ["'self'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'self'", ...frameAncestors],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
  }
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${[...new Set(sources)].filter(Boolean).join(' ')}`)
    .join('; ')
}

/** Where the system posts what other programs share; the service worker takes it. */
export const SHARE_TARGET = '/share-target'

/** Files that the system offers to open with the installed program, which uploads them. */
const OPENED_WITH = {
  'image/*': ['.jpg', '.jpeg', '.png', '.gif', '.webp', '.heic', '.avif', '.tif', '.tiff'],
  'video/*': ['.mp4', '.mov', '.mkv', '.webm'],
  'audio/*': ['.mp3', '.m4a', '.flac', '.ogg', '.wav'],
  'application/pdf': ['.pdf'],
  'application/zip': ['.zip'],
  'text/plain': ['.txt', '.md', '.csv', '.json'],
}

/** The web app manifest: name and colours of this instance, start below its base URL. */
export function presentManifest(boot: BootSettings): Record<string, unknown> {
  const name = boot.Name || DEFAULT_NAME
  const icon = (file: string, sizes: string, purpose: string): Record<string, string> => ({
    src: `${boot.StaticURL}/img/icons/${file}`,
    sizes,
    type: 'image/png',
    purpose,
  })
  return {
    name,
    short_name: name,
    id: `${boot.BaseURL}/`,
    start_url: `${boot.BaseURL}/`,
    scope: `${boot.BaseURL}/`,
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: boot.Color || '#455a64',
    icons: [
      icon('android-chrome-192x192.png', '192x192', 'any'),
      icon('android-chrome-512x512.png', '512x512', 'any'),
      icon('maskable-512x512.png', '512x512', 'maskable'),
    ],
    share_target: {
      action: `${boot.BaseURL}${SHARE_TARGET}`,
      method: 'POST',
      enctype: 'multipart/form-data',
      params: {
        title: 'title',
        text: 'text',
        url: 'url',
        files: [{ name: 'files', accept: ['*/*'] }],
      },
    },
    file_handlers: [{ action: `${boot.BaseURL}/files/`, accept: OPENED_WITH }],
    launch_handler: { client_mode: ['navigate-existing', 'auto'] },
  }
}

/**
 * The best of `locales` for an Accept-Language header: exact match, then by language alone
 * (`pt` finds `pt-br`). Undefined when none fits.
 */
export function pickLocale(acceptLanguage: string, locales: string[]): string | undefined {
  const wanted = parsePreferences(acceptLanguage)
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const { name: tag } of wanted) {
    const language = tag.split('-')[0] ?? tag
    const found =
      locales.find((locale) => locale === tag) ??
      locales.find((locale) => locale === language) ??
      locales.find((locale) => locale.startsWith(`${language}-`))
    if (found) return found
  }
  return undefined
}

/** Scheme and host for a policy; empty for what is no address, so that it cannot add directives. */
function originOf(address: string): string {
  return URL.parse(address)?.origin ?? ''
}
