// A question with named answers: "Delete this link?", "Leave without saving?".

import { useLingui } from '@lingui/react/macro'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

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
