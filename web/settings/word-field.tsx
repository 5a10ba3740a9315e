// A field of words, each with a cross: the commands a user may run. A space, Enter or leaving the
// field ends a word; Backspace in the empty field takes the last one back.

import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useState } from 'react'
import type { ControlProps } from '../lib/form-part.ts'
import { Badge } from '../ui/badge.tsx'
import { Field } from '../ui/field.tsx'

interface WordFieldProps extends ControlProps<string[]> {
  label: string
  hint?: string
  placeholder: string
}

export function WordField({ label, hint, placeholder, value: words, onChange }: WordFieldProps) {
  const { t } = useLingui()
  const [typed, setTyped] = useState('')

  function add(text: string) {
    const fresh = text.split(/\s+/).filter((word) => word !== '' && !words.includes(word))
    if (fresh.length > 0) onChange([...words, ...new Set(fresh)])
    setTyped('')
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '' && words.length > 0) {
      event.preventDefault()
      setTyped(words.at(-1) ?? '')
      onChange(words.slice(0, -1))
    }
  }

  function onPaste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text')
    if (!/\s/.test(text.trim())) return
    event.preventDefault()
    add(`${typed} ${text}`)
  }

  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <span className="input tags wraps" dir="ltr">
          {words.map((word) => (
            <Badge key={word}>
              {word}
              <button
                type="button"
                className="tags__drop"
                aria-label={t`Remove ${word}`}
                onClick={() => onChange(words.filter((each) => each !== word))}
              >
                <X className="i i-xs" aria-hidden />
              </button>
            </Badge>
          ))}
          <input
            {...ids}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            placeholder={placeholder}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={() => add(typed)}
          />
        </span>
      )}
    </Field>
  )
}
