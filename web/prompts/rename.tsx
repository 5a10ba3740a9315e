// Renames one entry. The stem is selected, so that typing keeps the extension.

import { Trans, useLingui } from '@lingui/react/macro'
import { useLayoutEffect, useRef, useState } from 'react'
import { parentOf, splitName } from '../lib/paths.ts'
import { shownName } from '../lib/shown-name.ts'
import { renameEntry } from '../operations/file-operations.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { describeClash, describeNameProblem, describeRefusal, namesIn } from './name-check.ts'

/** Answers with the new path. */
export function RenamePrompt({ entry, answer }: PromptProps<'rename'>) {
  const { t } = useLingui()
  const [text, setText] = useState(entry.name)
  const [refusal, setRefusal] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [taken] = useState(() => namesIn(parentOf(entry.path)))
  const input = useRef<HTMLInputElement>(null)
  const name = text.trim()
  const unchanged = name === entry.name
  const clash = !unchanged && taken.has(name) ? describeClash(name) : null
  const error = refusal ?? describeNameProblem(name) ?? clash

  useLayoutEffect(() => {
    const { stem } = entry.isDir ? { stem: entry.name } : splitName(entry.name)
    input.current?.setSelectionRange(0, stem.length)
  }, [entry])

  async function submit() {
    if (busy || name === '' || error !== null) return
    if (unchanged) {
      answer(null)
      return
    }
    setBusy(true)
    try {
      answer(await renameEntry(entry.path, name))
    } catch (problem) {
      setBusy(false)
      setRefusal(describeRefusal(problem, name))
      input.current?.focus()
    }
  }

  return (
    <Dialog
      title={entry.isDir ? <Trans>Rename folder</Trans> : <Trans>Rename file</Trans>}
      subtitle={<bdi>{shownName(entry.name)}</bdi>}
      guarded={text !== entry.name}
      onClose={() => answer(null)}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button tone="line" onClick={() => answer(null)}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            tone="fill"
            type="submit"
            busy={busy}
            disabled={name === '' || unchanged || error !== null}
          >
            <Trans>Rename</Trans>
          </Button>
        </>
      }
    >
      <TextField
        ref={input}
        label={t`New name`}
        value={text}
        onChange={(value) => {
          setText(value)
          setRefusal(null)
        }}
        error={error}
        data-autofocus
        data-select=""
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Dialog>
  )
}
