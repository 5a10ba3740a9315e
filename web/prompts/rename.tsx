// Renames one entry. The stem is selected, so that typing keeps the extension.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { parentOf, shownName, splitName } from '../lib/paths.ts'
import { renameEntry } from '../operations/file-operations.ts'
import { describeClash, describeNameProblem, namesIn } from '../operations/names/name-check.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { NameDialog } from './name-dialog.tsx'

export function RenamePrompt({ entry, answer }: PromptProps<'rename'>) {
  const { t } = useLingui()
  const [text, setText] = useState(entry.name)
  const [taken] = useState(() => namesIn(parentOf(entry.path)))
  const name = text.trim()
  const unchanged = name === entry.name
  const clash = !unchanged && taken.has(name) ? describeClash(name) : null
  const { stem } = entry.isDir ? { stem: entry.name } : splitName(entry.name)
  return (
    <NameDialog
      title={entry.isDir ? <Trans>Rename folder</Trans> : <Trans>Rename file</Trans>}
      subtitle={<bdi>{shownName(entry.name)}</bdi>}
      label={t`New name`}
      text={text}
      onChange={setText}
      error={describeNameProblem(name) ?? clash}
      ready={name !== '' && !unchanged}
      name={name}
      submitLabel={<Trans>Rename</Trans>}
      submit={() => renameEntry(entry.path, name)}
      answer={answer}
      selectChars={stem.length}
    />
  )
}
