// Choosing one of many by typing a part of its name: languages, encodings.

import type { LanguageDescription } from '@codemirror/language'
import { useLingui } from '@lingui/react/macro'
import { Check, Search } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useSnapshot } from 'valtio'
import { foldForTyping } from '../lib/type-ahead.ts'
import { canWrite } from '../text/encode.ts'
import { encodingGroups, encodingLabel, type TextEncoding } from '../text/encodings.ts'
import { languageOf, languages } from '../text/language.ts'
import { Combobox, listStep } from '../ui/combobox.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Segmented } from '../ui/toggle.tsx'
import { encodingGroupNames } from './code/encoding-groups.ts'
import { initialText } from './current-file.ts'
import { editor } from './editor-state.ts'
import { reopenAs, saveAs } from './open-file.ts'

interface PickOption {
  value: string
  label: string
  words?: string
  group?: string
}

interface PickDialogProps {
  title: string
  placeholder: string
  options: readonly PickOption[]
  value: string | null
  /** Above the list, such as what the choice will do. */
  children?: ReactNode
  onPick(value: string): void
  onClose(): void
}

function PickDialog(props: PickDialogProps) {
  const { title, placeholder, options, value, children, onPick, onClose } = props
  const { t } = useLingui()
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const needle = foldForTyping(typed.trim())
  const shown = options.filter(
    (option) =>
      needle === '' || foldForTyping(`${option.label} ${option.words ?? ''}`).includes(needle),
  )
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      options.findIndex((option) => option.value === value),
    ),
  )
  const at = Math.min(active, shown.length - 1)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the list also scrolls when it is filtered
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [at, needle])

  function onKeyDown(event: KeyboardEvent) {
    const step = listStep(event)
    if (step !== undefined) {
      event.preventDefault()
      setActive(Math.min(Math.max(0, at + step), shown.length - 1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const option = shown[at]
      if (option) onPick(option.value)
    }
  }

  return (
    <Dialog title={title} size="sm" top fullOnPhone onClose={onClose} className="ed-pick">
      {children}
      <span className="input">
        <Search className="i i-sm" aria-hidden />
        <Combobox
          label={placeholder}
          value={typed}
          onChange={(value) => {
            setTyped(value)
            setActive(0)
          }}
          list={`${id}-list`}
          active={at}
          onKeyDown={onKeyDown}
        />
      </span>
      <div className="ed-pick__list" role="listbox" id={`${id}-list`} aria-label={title} ref={list}>
        {shown.map((option, index) => (
          <PickRow
            key={option.value}
            id={`${id}-list-${index}`}
            option={option}
            heading={option.group !== shown[index - 1]?.group ? option.group : undefined}
            active={index === at}
            chosen={option.value === value}
            onPick={() => onPick(option.value)}
            onHover={() => setActive(index)}
          />
        ))}
        {shown.length === 0 && (
          <div className="ed-pick__none mid" role="presentation">
            {t`Nothing found`}
          </div>
        )}
      </div>
    </Dialog>
  )
}

interface PickRowProps {
  id: string
  option: PickOption
  heading: string | undefined
  active: boolean
  chosen: boolean
  onPick(): void
  onHover(): void
}

function PickRow({ id, option, heading, active, chosen, onPick, onHover }: PickRowProps) {
  return (
    <>
      {heading !== undefined && (
        <div className="ed-pick__group dim" role="presentation">
          {heading}
        </div>
      )}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it is the active descendant of the field */}
      <div
        id={id}
        role="option"
        aria-selected={active}
        className="ed-pick__row row rounded"
        onClick={onPick}
        onPointerMove={active ? undefined : onHover}
      >
        <span className="grow trunc">{option.label}</span>
        {chosen && <Check className="i i-sm" aria-hidden />}
      </div>
    </>
  )
}

type Purpose = 'read' | 'write'

export function EncodingDialog({ onClose }: { onClose(): void }) {
  const { t, i18n } = useLingui()
  const { encoding, dirty, readOnly } = useSnapshot(editor)
  const [purpose, setPurpose] = useState<Purpose>(dirty ? 'write' : 'read')
  const writable = readOnly === null

  const options: PickOption[] = encodingGroups.flatMap(({ group, names }) =>
    names.flatMap((name) => {
      const plain = { name, bom: false }
      if (purpose === 'write' && !canWrite(plain)) return []
      const choices: TextEncoding[] =
        purpose === 'write' && group === 'unicode' ? unicodeChoices(name) : [plain]
      return choices.map((choice) => ({
        value: keyOf(choice),
        label: encodingLabel(choice),
        words: choice.name,
        group: i18n._(encodingGroupNames[group]),
      }))
    }),
  )

  function pick(value: string) {
    const [name = 'utf-8', mark] = value.split('+')
    const choice = { name, bom: mark === 'bom' }
    if (purpose === 'read') reopenAs(choice)
    else saveAs(choice)
    onClose()
  }

  const current = options.find((option) => option.value === keyOf(encoding))
  return (
    <PickDialog
      title={t`Encoding`}
      placeholder={t`Find an encoding`}
      options={options}
      value={current?.value ?? encoding.name}
      onPick={pick}
      onClose={onClose}
    >
      {writable && (
        <>
          <Segmented
            label={t`Action`}
            value={purpose}
            onChange={setPurpose}
            disabled={dirty}
            options={[
              { value: 'read', label: t`Reopen with encoding` },
              { value: 'write', label: t`Save with encoding` },
            ]}
          />
          {dirty && (
            <p className="hint">{t`Save or discard your changes before reopening the file.`}</p>
          )}
        </>
      )}
    </PickDialog>
  )
}

/** UTF-16 files are written with their mark: without one few programs recognise them. */
function unicodeChoices(name: string): TextEncoding[] {
  if (name === 'utf-8')
    return [
      { name, bom: false },
      { name, bom: true },
    ]
  return [{ name, bom: true }]
}

function keyOf({ name, bom }: Readonly<TextEncoding>): string {
  return bom ? `${name}+bom` : name
}

interface LanguageDialogProps {
  language: LanguageDescription | null
  onPick(language: LanguageDescription | null): void
  onClose(): void
}

export function LanguageDialog({ language, onPick, onClose }: LanguageDialogProps) {
  const { t } = useLingui()
  return (
    <PickDialog
      title={t({ message: 'Language', context: 'code' })}
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
