// A question with named answers: "Delete this link?", "Leave without saving?".

import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

export function ConfirmPrompt(props: PromptProps<'confirm'>) {
  const { title, text, answers, cancelLabel, answer } = props
  return (
    <Dialog
      alert
      size="md"
      title={title}
      onClose={() => answer(null)}
      closeLabel={cancelLabel}
      answers={answers.map(({ id, label, tone = 'fill' }) => (
        <Button key={id} tone={tone} onClick={() => answer(id)}>
          {label}
        </Button>
      ))}
    >
      <p className="mid">{text}</p>
    </Dialog>
  )
}
