// What can be done with several hits at once, in the place of the keys below them.

import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import type { FileEntry, SearchHit } from '../../src/api-types.ts'
import { announce } from '../lib/page/announce.ts'
import { PHONE, useMedia } from '../lib/page/media.ts'
import { joinPath, nameOf } from '../lib/paths.ts'
import { actionOf } from '../operations/commands/registry.ts'
import { type ActionContext, standingOf } from '../operations/commands/types.ts'
import { abilitiesIn } from '../state/rights.ts'
import { Button, IconButton } from '../ui/button.tsx'

const actions = (['download', 'copy-to', 'move-to', 'delete'] as const).map(actionOf)

interface ChosenProps {
  base: string
  hits: readonly SearchHit[]
  onClear(): void
  /** Something was done with them, so that they may be elsewhere or gone. */
  onDone(): void
}

export function Chosen({ base, hits, onClear, onDone }: ChosenProps) {
  const { t, i18n } = useLingui()
  const phone = useMedia(PHONE)
  const count = hits.length
  const words = plural(count, { one: '# selected', other: '# selected' })
  const context: ActionContext = {
    folder: base,
    selected: hits.map((hit) => entryOf(hit, base, count === 1)),
    focused: null,
    can: abilitiesIn(base),
  }
  useEffect(() => announce(words), [words])
  return (
    <div className="sx__chosen row fs-md tone-accent" role="toolbar" aria-label={t`Selection`}>
      <IconButton size="sm" icon={X} label={t`Clear selection`} onClick={onClear} />
      <strong className="num grow">{words}</strong>
      {actions
        .filter((action) => standingOf(action, context) === 'on')
        .map((action) => {
          const label = i18n._(action.shortLabel ?? action.label)
          const run = async () => {
            await action.run(context)
            if (action.id !== 'download') onDone()
          }
          const { id, icon, flipIcon = false, danger = false } = action
          return phone ? (
            <IconButton
              key={id}
              {...{ icon, label, flipIcon }}
              tone={danger ? 'danger' : 'plain'}
              onClick={() => void run()}
            />
          ) : (
            <Button
              key={id}
              size="sm"
              {...{ icon, flipIcon }}
              tone={danger ? 'danger-text' : 'ghost'}
              onClick={() => void run()}
            >
              {label}
            </Button>
          )
        })}
    </div>
  )
}

/** A hit as commands take it. In an archive of several its name is its way from the folder that was searched. */
function entryOf(hit: SearchHit, base: string, alone: boolean): FileEntry {
  const { path, dir: isDir, size = 0, modified = '' } = hit
  const name = alone ? nameOf(path) : path
  const rest = { extension: '', mode: 0, isSymlink: false, type: '' } as const
  return { path: joinPath(base, path), name, isDir, size, modified, ...rest }
}
