// Languages: which there are, which one is shown, and the one chunk that each of them is.

import { i18n, type Messages } from '@lingui/core'
import { storage } from './storage.ts'

export interface Language {
  /** As stored in user records. */
  code: string
  /** In the language itself. */
  name: string
  load(): Promise<{ messages: Messages }>
}

/** Sorted by name as the selector shows them. */
export const languages: readonly Language[] = [
  { code: 'ar', name: 'العربية', load: () => import('../../locales/ar.po') },
  { code: 'bg', name: 'Български', load: () => import('../../locales/bg.po') },
  { code: 'ca', name: 'Català', load: () => import('../../locales/ca.po') },
  { code: 'cs', name: 'Čeština', load: () => import('../../locales/cs.po') },
  { code: 'de', name: 'Deutsch', load: () => import('../../locales/de.po') },
  { code: 'el', name: 'Ελληνικά', load: () => import('../../locales/el.po') },
  { code: 'en', name: 'English', load: () => import('../../locales/en.po') },
  { code: 'es', name: 'Español', load: () => import('../../locales/es.po') },
  { code: 'fa', name: 'فارسی', load: () => import('../../locales/fa.po') },
  { code: 'fr', name: 'Français', load: () => import('../../locales/fr.po') },
  { code: 'he', name: 'עברית', load: () => import('../../locales/he.po') },
  { code: 'hr', name: 'Hrvatski', load: () => import('../../locales/hr.po') },
  { code: 'hu', name: 'Magyar', load: () => import('../../locales/hu.po') },
  { code: 'is', name: 'Íslenska', load: () => import('../../locales/is.po') },
  { code: 'it', name: 'Italiano', load: () => import('../../locales/it.po') },
  { code: 'ja', name: '日本語', load: () => import('../../locales/ja.po') },
  { code: 'ko', name: '한국어', load: () => import('../../locales/ko.po') },
  { code: 'lv', name: 'Latviešu', load: () => import('../../locales/lv.po') },
  { code: 'nl', name: 'Nederlands', load: () => import('../../locales/nl.po') },
  { code: 'nl-be', name: 'Nederlands (België)', load: () => import('../../locales/nl-be.po') },
  { code: 'no', name: 'Norsk', load: () => import('../../locales/no.po') },
  { code: 'pl', name: 'Polski', load: () => import('../../locales/pl.po') },
  { code: 'pt', name: 'Português', load: () => import('../../locales/pt.po') },
  { code: 'pt-br', name: 'Português (Brasil)', load: () => import('../../locales/pt-br.po') },
  { code: 'pt-pt', name: 'Português (Portugal)', load: () => import('../../locales/pt-pt.po') },
  { code: 'ro', name: 'Română', load: () => import('../../locales/ro.po') },
  { code: 'ru', name: 'Русский', load: () => import('../../locales/ru.po') },
  { code: 'sk', name: 'Slovenčina', load: () => import('../../locales/sk.po') },
  { code: 'sv-se', name: 'Svenska', load: () => import('../../locales/sv-se.po') },
  { code: 'tr', name: 'Türkçe', load: () => import('../../locales/tr.po') },
  { code: 'uk', name: 'Українська', load: () => import('../../locales/uk.po') },
  { code: 'vi', name: 'Tiếng Việt', load: () => import('../../locales/vi.po') },
  { code: 'zh-cn', name: '简体中文', load: () => import('../../locales/zh-cn.po') },
  { code: 'zh-tw', name: '繁體中文', load: () => import('../../locales/zh-tw.po') },
]

const byCode = new Map(languages.map((language) => [language.code, language]))

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
    if (byCode.has(rest)) return rest
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

export function rememberLocale(code: string): void {
  storage.set(KEY, code)
}

let wanted = ''

/** Loads and shows a language; of several calls under way the last one counts. */
export async function loadLocale(code: string): Promise<void> {
  wanted = code
  const language = byCode.get(code) ?? byCode.get('en')
  const { messages } = (await language?.load()) ?? { messages: {} }
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
