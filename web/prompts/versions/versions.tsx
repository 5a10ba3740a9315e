// The earlier versions of a file: comparing one with what is there, bringing it back, keeping it.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ArrowLeft, Copy, Download, Ellipsis, FileDiff, Pin, RotateCcw, Trash2 } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { VersionItem } from '../../../src/keep-types.ts'
import { messageOf } from '../../api/error-text.ts'
import { changeVersion, deleteVersion, listVersions, versionUrl } from '../../api/versions.ts'
import { formatMoment, formatSize } from '../../lib/format.ts'
import { onDemand } from '../../lib/page/on-demand.tsx'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useRead } from '../../lib/page/use-read.ts'
import { nameOf, parentOf, shownName } from '../../lib/paths.ts'
import { saveUrl } from '../../lib/save-url.ts'
import { copyVersionTo } from '../../operations/copy-version.ts'
import { reloadFolder } from '../../operations/open-folder.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import { openPrompt } from '../../operations/prompts.ts'
import { toastError, toastSuccess } from '../../operations/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { MenuButton } from '../../ui/menu.tsx'
import { Spinner } from '../../ui/progress.tsx'
import styles from './versions.css?url'

await loadStylesheet(styles)

const Compare = onDemand(async () => (await import('./compare.tsx')).Compare)

export function VersionsPrompt({ path, isText, answer }: PromptProps<'versions'>) {
  const { t } = useLingui()
  const [turn, setTurn] = useState(0)
  const [compared, setCompared] = useState<VersionItem | null>(null)
  const read = useRead([path, turn], (signal) => listVersions(path, signal))
  const name = shownName(nameOf(path))

  /** Tells what fails, and shows the list as it is by then. */
  async function act(work: () => Promise<unknown>) {
    try {
      await work()
    } catch (error) {
      toastError(error)
    }
    setTurn((before) => before + 1)
  }

  async function restore(version: VersionItem) {
    try {
      await changeVersion(path, version.id, 'restore')
      const what = formatMoment(version.modified)
      toastSuccess(t`Restored: ${what}`)
      void reloadFolder(parentOf(path))
      answer(true)
    } catch (error) {
      toastError(error)
    }
  }

  return (
    <Dialog
      size="wide"
      fullOnPhone
      className="versions"
      title={<Trans>Versions</Trans>}
      subtitle={<bdi>{name}</bdi>}
      onClose={() => answer(null)}
      closeLabel={t`Close`}
      lead={
        compared !== null && (
          <Button icon={ArrowLeft} flipIcon onClick={() => setCompared(null)}>
            <Trans>Back</Trans>
          </Button>
        )
      }
      answers={
        compared !== null && (
          <Button tone="fill" onClick={() => restore(compared)}>
            <Trans>Restore</Trans>
          </Button>
        )
      }
    >
      {compared !== null ? (
        <Suspense fallback={<Spinner large />}>
          <Compare path={path} version={compared} />
        </Suspense>
      ) : read.state === 'failed' ? (
        <p className="err">{messageOf(read.error)}</p>
      ) : read.state === 'loading' ? (
        <Spinner large />
      ) : read.value.length === 0 ? (
        <p className="mid">
          <Trans>This file hasn’t been replaced yet. Earlier versions will appear here.</Trans>
        </p>
      ) : (
        <ul className="versions__list">
          {read.value.map((version) => (
            <Version
              key={version.id}
              path={path}
              version={version}
              act={act}
              onCompare={isText ? () => setCompared(version) : null}
              onRestore={() => restore(version)}
            />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

interface VersionProps {
  path: string
  version: VersionItem
  act: (work: () => Promise<unknown>) => Promise<void>
  onCompare: (() => void) | null
  onRestore: () => Promise<void>
}

function Version({ path, version, act, onCompare, onRestore }: VersionProps) {
  const { t } = useLingui()
  const { size, modified, keep } = version
  return (
    <li className="versions__item row wraps">
      <span className="grow">
        <span className="row versions__date">
          <DateText moment={modified} exact />
          {keep && <Pin className="i i-xs mid" aria-label={t`Keep`} />}
        </span>
        <small className="dim num">{formatSize(size)}</small>
      </span>
      {onCompare && (
        <Button size="sm" icon={FileDiff} onClick={onCompare}>
          <Trans>Compare</Trans>
        </Button>
      )}
      <Button size="sm" tone="line" icon={RotateCcw} flipIcon onClick={onRestore}>
        <Trans>Restore</Trans>
      </Button>
      <MenuButton label={t`More`} items={() => menuOf(path, version, act)}>
        {(trigger) => <IconButton {...trigger} size="sm" icon={Ellipsis} label={t`More`} />}
      </MenuButton>
    </li>
  )
}

function menuOf(path: string, { id, keep }: VersionItem, act: VersionProps['act']) {
  return [
    {
      id: 'download',
      label: t`Download`,
      icon: Download,
      onSelect: () => saveUrl(versionUrl(path, id), nameOf(path)),
    },
    {
      id: 'copy',
      label: t`Save a copy…`,
      icon: Copy,
      onSelect: () => void copyVersionTo(path, id),
    },
    {
      id: 'keep',
      label: t`Keep`,
      icon: Pin,
      checked: keep,
      toggle: true,
      onSelect: () => void act(() => changeVersion(path, id, keep ? 'release' : 'keep')),
    },
    {
      id: 'delete',
      label: t`Delete`,
      icon: Trash2,
      danger: true,
      onSelect: () => void act(() => askAndDelete(path, id)),
    },
  ]
}

async function askAndDelete(path: string, id: string): Promise<void> {
  const answer = await openPrompt('confirm', {
    title: t`Delete`,
    text: t`This can’t be undone.`,
    answers: [{ id: 'delete', label: t`Delete`, tone: 'danger' }],
  })
  if (answer === 'delete') await deleteVersion(path, id)
}
