// Languages: which there are, which one is shown, and the one chunk that each of them is.

import { i18n, type Messages } from '@lingui/core'
import { storage } from './storage.ts'

export interface Language {
  /** As stored in user records. */
  code: string
  /** In the language itself. */
  name: string
}

/** Sorted by name as the selector shows them. */
export const languages: readonly Language[] = [
  { code: 'ar', name: 'العربية' },
  { code: 'bg', name: 'Български' },
  { code: 'ca', name: 'Català' },
  { code: 'cs', name: 'Čeština' },
  { code: 'de', name: 'Deutsch' },
  { code: 'el', name: 'Ελληνικά' },
  { code: 'en', name: 'English' },
  { code: 'es', name: 'Español' },
  { code: 'fa', name: 'فارسی' },
  { code: 'fr', name: 'Français' },
  { code: 'he', name: 'עברית' },
  { code: 'hr', name: 'Hrvatski' },
  { code: 'hu', name: 'Magyar' },
  { code: 'is', name: 'Íslenska' },
  { code: 'it', name: 'Italiano' },
  { code: 'ja', name: '日本語' },
  { code: 'ko', name: '한국어' },
  { code: 'lv', name: 'Latviešu' },
  { code: 'nl', name: 'Nederlands' },
  { code: 'nl-be', name: 'Nederlands (België)' },
  { code: 'no', name: 'Norsk' },
  { code: 'pl', name: 'Polski' },
  { code: 'pt', name: 'Português' },
  { code: 'pt-br', name: 'Português (Brasil)' },
  { code: 'pt-pt', name: 'Português (Portugal)' },
  { code: 'ro', name: 'Română' },
  { code: 'ru', name: 'Русский' },
  { code: 'sk', name: 'Slovenčina' },
  { code: 'sv-se', name: 'Svenska' },
  { code: 'tr', name: 'Türkçe' },
  { code: 'uk', name: 'Українська' },
  { code: 'vi', name: 'Tiếng Việt' },
  { code: 'zh-cn', name: '简体中文' },
  { code: 'zh-tw', name: '繁體中文' },
]

const catalogues: Record<string, () => Promise<{ messages: Messages }>> = {
  ar: () => import('../../locales/ar.po'),
  bg: () => import('../../locales/bg.po'),
  ca: () => import('../../locales/ca.po'),
  cs: () => import('../../locales/cs.po'),
  de: () => import('../../locales/de.po'),
  el: () => import('../../locales/el.po'),
  en: () => import('../../locales/en.po'),
  es: () => import('../../locales/es.po'),
  fa: () => import('../../locales/fa.po'),
  fr: () => import('../../locales/fr.po'),
  he: () => import('../../locales/he.po'),
  hr: () => import('../../locales/hr.po'),
  hu: () => import('../../locales/hu.po'),
  is: () => import('../../locales/is.po'),
  it: () => import('../../locales/it.po'),
  ja: () => import('../../locales/ja.po'),
  ko: () => import('../../locales/ko.po'),
  lv: () => import('../../locales/lv.po'),
  nl: () => import('../../locales/nl.po'),
  'nl-be': () => import('../../locales/nl-be.po'),
  no: () => import('../../locales/no.po'),
  pl: () => import('../../locales/pl.po'),
  pt: () => import('../../locales/pt.po'),
  'pt-br': () => import('../../locales/pt-br.po'),
  'pt-pt': () => import('../../locales/pt-pt.po'),
  ro: () => import('../../locales/ro.po'),
  ru: () => import('../../locales/ru.po'),
  sk: () => import('../../locales/sk.po'),
  'sv-se': () => import('../../locales/sv-se.po'),
  tr: () => import('../../locales/tr.po'),
  uk: () => import('../../locales/uk.po'),
  vi: () => import('../../locales/vi.po'),
  'zh-cn': () => import('../../locales/zh-cn.po'),
  'zh-tw': () => import('../../locales/zh-tw.po'),
}

const rightToLeft = new Set(['ar', 'fa', 'he'])

/** Codes of ours whose BCP 47 name differs. */
const standard: Record<string, string> = {
  no: 'nb',
  'zh-cn': 'zh-Hans-CN',
  'zh-tw': 'zh-Hant-TW',
}

/** Names under which browsers and older records know our languages. */
const aliases: Record<string, string> = {
  nb: 'no',
  nn: 'no',
  iw: 'he',
  sv: 'sv-se',
  zh: 'zh-cn',
  'zh-hans': 'zh-cn',
  'zh-sg': 'zh-cn',
  'zh-hant': 'zh-tw',
  'zh-hk': 'zh-tw',
  'zh-mo': 'zh-tw',
}

const KEY = 'fb-locale'

/** Our language for a BCP 47 tag, null when there is none for it or its parents. */
export function matchLocale(tag: string): string | null {
  let rest = tag.toLowerCase().replaceAll('_', '-')
  while (rest !== '') {
    if (rest in catalogues) return rest
    const alias = aliases[rest]
    if (alias !== undefined) return alias
    const cut = rest.lastIndexOf('-')
    rest = cut > 0 ? rest.slice(0, cut) : ''
  }
  return null
}

/** The account's language, else the one chosen in this browser, else the browser's, else English. */
export function chooseLocale(ofUser: string | undefined): string {
  const wanted = [ofUser ?? '', storage.get(KEY) ?? '', ...navigator.languages]
  for (const tag of wanted) {
    const found = matchLocale(tag)
    if (found !== null) return found
  }
  return 'en'
}

/** Keeps the choice for pages shown without an account. */
export function rememberLocale(code: string): void {
  storage.set(KEY, code)
}

let wanted = ''

/** Loads and shows a language; of several calls under way the last one counts. */
export async function loadLocale(code: string): Promise<void> {
  wanted = code
  const load = catalogues[code] ?? catalogues.en
  const { messages } = (await load?.()) ?? { messages: {} }
  if (wanted !== code) return
  i18n.loadAndActivate({ locale: standard[code] ?? code, messages })
  const root = document.documentElement
  root.lang = standard[code] ?? code
  root.dir = rightToLeft.has(code) ? 'rtl' : 'ltr'
}

/** The code of the language shown, as `languages` has it. */
export function activeLocale(): string {
  return wanted || 'en'
}

/**
 * The tag for Intl: the language shown, with the region the browser has for it, so that an English
 * interface in Britain has British dates.
 */
export function intlLocale(): string {
  const tag = standard[activeLocale()] ?? activeLocale()
  const language = tag.split('-')[0] ?? tag
  return navigator.languages.find((own) => own.split('-')[0] === language) ?? tag
}

export function isRtl(): boolean {
  return rightToLeft.has(i18n.locale)
}
