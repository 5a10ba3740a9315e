// New folder and new file: one name, or a path of folders typed with slashes, shown as crumbs.

import { Trans, useLingui } from '@lingui/react/macro'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { joinPath, shownName } from '../lib/paths.ts'
import { folderTitle } from '../operations/failure-toasts.ts'
import { makeFile, makeFolder } from '../operations/file-operations.ts'
import { describeClash, describeNameProblem, namesIn } from '../operations/names/name-check.ts'
import type { NewEntryProps, PromptProps } from '../operations/prompt-kinds.ts'
import { FileTile, FolderGlyph } from '../ui/file-icon.tsx'
import styles from './files.css?url'
import { NameDialog } from './name-dialog.tsx'

await loadStylesheet(styles)

/** Answers with the path of the innermost folder made. */
export function NewFolderPrompt({ folder, answer }: PromptProps<'newFolder'>) {
  return <NewEntry folder={folder} kind="folder" answer={answer} />
}

export function NewFilePrompt({ folder, answer }: PromptProps<'newFile'>) {
  return <NewEntry folder={folder} kind="file" answer={answer} />
}

interface Given extends NewEntryProps {
  kind: 'folder' | 'file'
  answer: (path: string | null) => void
}

function NewEntry({ folder, kind, answer }: Given) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const [taken] = useState(() => namesIn(folder))
  const segments = text
    .split('/')
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '')
  const [first] = segments
  const alone = segments.length === 1 && first !== undefined && taken.has(first)
  const problem = segments.map(describeNameProblem).find((found) => found !== null) ?? null
  return (
    <NameDialog
      title={kind === 'folder' ? <Trans>New folder</Trans> : <Trans>New file</Trans>}
      subtitle={<Trans>In “{folderTitle(folder)}”</Trans>}
      label={t`Name`}
      hint={t`Use slashes to create nested folders.`}
      text={text}
      onChange={setText}
      error={problem ?? (alone ? describeClash(first) : null)}
      ready={segments.length > 0}
      name={segments.at(-1) ?? ''}
      submitLabel={<Trans>Create</Trans>}
      submit={() => (kind === 'folder' ? makeFolder : makeFile)(folder, segments)}
      answer={answer}
    >
      {segments.length > 1 && <PathPreview segments={segments} kind={kind} />}
    </NameDialog>
  )
}

function PathPreview({ segments, kind }: { segments: readonly string[]; kind: 'folder' | 'file' }) {
  let path = ''
  return (
    <div className="new-path row wraps fs-md mid">
      {segments.map((segment, index) => {
        path = joinPath(path === '' ? '/' : path, segment)
        const isFile = kind === 'file' && index === segments.length - 1
        return (
          <span className="new-path__part shrinks" key={path}>
            {index > 0 && <ChevronRight className="i i-xs flip" aria-hidden />}
            {isFile ? <FileTile entry={{ name: segment, isDir: false }} /> : <FolderGlyph />}
            <bdi>{shownName(segment)}</bdi>
          </span>
        )
      })}
    </div>
  )
}
