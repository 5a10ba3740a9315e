// A new file from a template: which one, then its name.

import { Trans, useLingui } from '@lingui/react/macro'
import { useState } from 'react'
import { messageOf } from '../../api/error-text.ts'
import { createFile, transfer } from '../../api/files.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { freeName, shownName, splitName } from '../../lib/paths.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { makeFile } from '../../operations/file-operations.ts'
import { describeClash, describeNameProblem, namesIn } from '../../operations/names/name-check.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FileTile } from '../../ui/file-icon.tsx'
import { Spinner } from '../../ui/progress.tsx'
import styles from '../files.css?url'
import { NameDialog } from '../name-dialog.tsx'
import { type EmptyKind, emptyFile, ownTemplates } from './templates.ts'

await loadStylesheet(styles)

interface Template {
  id: string
  label: string
  /** What a file made of it is called at first. */
  name: string
  make(path: string): Promise<void>
}

/** Answers with the path of the file made. */
export function NewFromTemplatePrompt({ folder, answer }: PromptProps<'newFromTemplate'>) {
  const [template, setTemplate] = useState<Template | null>(null)
  if (template === null) return <Choice folder={folder} onChoose={setTemplate} answer={answer} />
  return <NameOf folder={folder} template={template} answer={answer} />
}

type Given = PromptProps<'newFromTemplate'>

function Choice({ folder, onChoose, answer }: Given & { onChoose(template: Template): void }) {
  const { t } = useLingui()
  const own = useRead([], ownTemplates)
  const empty = (kind: EmptyKind, label: string): Template => ({
    ...{ id: kind, label, name: `${label}.${kind}` },
    make: (path) => createFile(path, emptyFile(kind)),
  })
  const templates = [
    empty('txt', t`Text file`),
    empty('md', t`Markdown file`),
    empty('docx', t`Word document`),
    empty('xlsx', t`Excel workbook`),
  ]
  const found = own.state === 'ready' ? own.value : []
  const owned = found.map(({ path, name }) => ({
    ...{ id: path, label: shownName(name), name },
    make: (to: string) => transfer({ action: 'copy', from: path, to, override: false }),
  }))
  return (
    <Dialog
      size="md"
      title={<Trans>New from template</Trans>}
      subtitle={<Trans>In “{folderTitle(folder)}”</Trans>}
      onClose={() => answer(null)}
      answers={null}
    >
      <div className="formats stack">
        {[...templates, ...owned].map((template, index) => (
          <button
            key={template.id}
            type="button"
            className="formats__item row"
            data-autofocus={index === 0 ? '' : undefined}
            onClick={() => onChoose(template)}
          >
            <FileTile entry={{ name: template.name, isDir: false }} />
            <bdi className="trunc">{template.label}</bdi>
          </button>
        ))}
        {own.state === 'loading' && <Spinner />}
      </div>
      {own.state === 'failed' && <p className="err">{messageOf(own.error)}</p>}
      {own.state === 'ready' && owned.length === 0 && (
        <p className="hint">
          <Trans>Files in a folder named “templates” in My files appear here.</Trans>
        </p>
      )}
    </Dialog>
  )
}

function NameOf({ folder, template, answer }: Given & { template: Template }) {
  const { t } = useLingui()
  const [taken] = useState(() => namesIn(folder))
  const [first] = useState(() => freeName(template.name, false, taken))
  const [text, setText] = useState(first)
  const { stem, extension } = splitName(first)
  const typed = text.trim()
  // The ending says which program opens it.
  const name = typed === '' || splitName(typed).extension !== '' ? typed : typed + extension
  return (
    <NameDialog
      title={<Trans>New from template</Trans>}
      subtitle={<bdi>{template.label}</bdi>}
      label={t`Name`}
      text={text}
      onChange={setText}
      error={describeNameProblem(name) ?? (taken.has(name) ? describeClash(name) : null)}
      ready={name !== ''}
      name={name}
      submitLabel={<Trans>Create</Trans>}
      submit={() => makeFile(folder, [name], template.make)}
      answer={answer}
      selectChars={stem.length}
    />
  )
}
