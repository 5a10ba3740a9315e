// The language a text is coloured in, and the dialog that chooses another.

import type { LanguageDescription } from '@codemirror/language'
import { useLingui } from '@lingui/react/macro'
import { useMemo, useState } from 'react'
import { languageOf, languages } from '../text/language.ts'
import { initialText } from './current-file.ts'
import { PickDialog } from './pick-dialog.tsx'

interface LanguageDialogProps {
  language: LanguageDescription | null
  onPick(language: LanguageDescription | null): void
  onClose(): void
}

export function LanguageDialog({ language, onPick, onClose }: LanguageDialogProps) {
  const { t } = useLingui()
  return (
    <PickDialog
      title={t`Language`}
      placeholder={t`Find a language`}
      value={language?.name ?? ''}
      options={[
        { value: '', label: t`Plain text` },
        ...languages.map(({ name, alias }) => ({
          value: name,
          label: name,
          words: alias.join(' '),
        })),
      ]}
      onPick={(name) => {
        onPick(languages.find((each) => each.name === name) ?? null)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

/** By name and content until somebody chooses another. */
export function useLanguage(ready: boolean, name: string, generation: number) {
  const [chosen, setChosen] = useState<{
    generation: number
    language: LanguageDescription | null
  }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text, another language
  const found = useMemo(
    () => (ready ? languageOf(name, initialText()) : null),
    [ready, name, generation],
  )
  const language = chosen?.generation === generation ? chosen.language : found
  const choose = (next: LanguageDescription | null) => setChosen({ generation, language: next })
  return [language, choose] as const
}
