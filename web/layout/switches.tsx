import { useLingui } from '@lingui/react/macro'
import { Languages, Moon, Sun } from 'lucide-react'
import { useSnapshot } from 'valtio'
import { activeLocale, languages, loadLocale, rememberLocale } from '../lib/i18n.ts'
import { toastError } from '../operations/toasts.ts'
import { activeTheme, prefs, setTheme } from '../state/prefs.ts'
import { session, setOwnLocale } from '../state/session.ts'
import { IconButton } from '../ui/button.tsx'
import type { SelectOption } from '../ui/field.tsx'
import { MenuButton } from '../ui/menu.tsx'

/** Shows a language at once and keeps it: with the account, and in this browser. */
async function switchLanguage(code: string): Promise<void> {
  try {
    await loadLocale(code)
    rememberLocale(code)
    if (session.user === null) return
    const { id } = session.user
    setOwnLocale(code)
    const { updateUser } = await import('../api/users.ts')
    await updateUser(id, { locale: code })
  } catch (error) {
    toastError(error)
  }
}

/** For a selector; an unknown language of an older record stays selectable. */
export function switchableLanguages(current: string): SelectOption[] {
  const options = languages.map(({ code, name }) => ({ value: code, label: name, lang: code }))
  const known = options.some((option) => option.value === current)
  return known ? options : [{ value: current, label: current, lang: '' }, ...options]
}

export function LanguageSwitch() {
  const { t } = useLingui()
  return (
    <MenuButton
      label={t`Language`}
      items={() =>
        languages.map(({ code, name }) => ({
          id: code,
          label: name,
          lang: code,
          checked: code === activeLocale(),
          onSelect: () => void switchLanguage(code),
        }))
      }
    >
      {(trigger) => <IconButton {...trigger} icon={Languages} label={t`Language`} />}
    </MenuButton>
  )
}

export function ThemeSwitch() {
  const { t } = useLingui()
  useSnapshot(prefs)
  const dark = activeTheme() === 'dark'
  return (
    <IconButton
      icon={dark ? Sun : Moon}
      label={dark ? t`Light theme` : t`Dark theme`}
      onClick={() => setTheme(dark ? 'light' : 'dark')}
    />
  )
}
