// A question with named answers: "Delete this link?", "Leave without saving?".

import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { Button, type ButtonTone } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import type { PromptProps } from './kinds.ts'

export interface ConfirmAnswer {
  /** Given back by the promise. */
  id: string
  label: string
  tone?: ButtonTone
}

export interface ConfirmProps {
  title: string
  /** One or two sentences: what happens, and whether it can be undone. */
  text: ReactNode
  /** The buttons after Cancel, the main one last. */
  answers: readonly ConfirmAnswer[]
  /** Instead of "Cancel". */
  cancelLabel?: string
}

export function ConfirmPrompt({
  title,
  text,
  answers,
  cancelLabel,
  answer,
}: PromptProps<'confirm'>) {
  const { t } = useLingui()
  return (
    <Dialog
      alert
      size="md"
      title={title}
      onClose={() => answer(null)}
      footer={
        <>
          <Button tone="line" data-autofocus onClick={() => answer(null)}>
            {cancelLabel ?? t`Cancel`}
          </Button>
          {answers.map((choice) => (
            <Button key={choice.id} tone={choice.tone ?? 'fill'} onClick={() => answer(choice.id)}>
              {choice.label}
            </Button>
          ))}
        </>
      }
    >
      <p className="mid">{text}</p>
    </Dialog>
  )
}
