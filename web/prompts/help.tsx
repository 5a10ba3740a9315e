// Every key and gesture. Commands come from the registry, so that this list cannot be out of date;
// what is not a command is listed here.

import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { hasTrash } from '../lib/boot.ts'
import { loadStylesheet } from '../lib/page/stylesheet.ts'
import { type ActionId, actionOf } from '../operations/commands/registry.ts'
import { shownKeys } from '../operations/commands/shortcut.ts'
import type { PromptProps } from '../operations/prompt-kinds.ts'
import { Kbd } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import styles from './files.css?url'

await loadStylesheet(styles)

/** A command with its own words and keys, or words with combinations that are no command. */
type Line = ActionId | { label: MessageDescriptor; keys: readonly string[] }

interface Section {
  title: MessageDescriptor
  lines: readonly Line[]
}

const left: readonly Section[] = [
  {
    title: msg`Navigation`,
    lines: [
      { label: msg`Move between items`, keys: ['↑ ↓ ← →'] },
      { label: msg`First or last item`, keys: ['Home', 'End'] },
      { label: msg`Page up or down`, keys: ['PageUp', 'PageDown'] },
      { label: msg`Jump to a name`, keys: ['A', 'Z'] },
      { label: msg`Select an item`, keys: ['Click'] },
      { label: msg`Open`, keys: ['DoubleClick', 'Enter'] },
      'preview',
      'go-up',
      'next-region',
      { label: msg`Open the menu`, keys: ['Shift+F10'] },
    ],
  },
  {
    title: msg`Select`,
    lines: [
      { label: msg`Add or remove one item`, keys: ['Mod+Click', 'Mod+ '] },
      { label: msg`Select a range`, keys: ['Shift+Click', 'Shift+ArrowDown'] },
      'select-all',
      { label: msg`Clear the selection, close a dialog`, keys: ['Escape'] },
    ],
  },
]

const right: readonly Section[] = [
  {
    title: msg`Actions`,
    lines: [
      'rename',
      'delete',
      ...(hasTrash ? (['delete-for-good'] as const) : []),
      'copy',
      'cut',
      'paste',
      'duplicate',
      { label: msg`Download, or save in the editor`, keys: ['Mod+S'] },
      { label: msg`Undo the last action`, keys: ['Mod+Z'] },
      'new-folder',
      'new-file',
      'upload-files',
    ],
  },
  {
    title: msg`Search and view`,
    lines: [
      'search',
      'palette',
      'filter',
      'details',
      'view-list',
      'view-grid',
      'view-gallery',
      'view-columns',
      { label: msg`Show this help`, keys: ['F1', '?'] },
    ],
  },
]

export function HelpPrompt({ answer }: PromptProps<'help'>) {
  return (
    <Dialog
      size="wide"
      title={<Trans>Keyboard shortcuts</Trans>}
      onClose={() => answer(null)}
      footer={
        <Button tone="fill" data-autofocus onClick={() => answer(null)}>
          <Trans>OK</Trans>
        </Button>
      }
    >
      <div className="help">
        <Column sections={left} />
        <Column sections={right} />
      </div>
    </Dialog>
  )
}

function Column({ sections }: { sections: readonly Section[] }) {
  const { i18n } = useLingui()
  return (
    <div>
      {sections.map((section) => (
        <section key={section.title.id} className="help__section">
          <h3>{i18n._(section.title)}</h3>
          <dl>
            {section.lines.map((line) => {
              const { label, keys } = typeof line === 'string' ? lineOf(line) : line
              return (
                <div key={label.id} className="help__line row fs-md mid">
                  <dt>{i18n._(label)}</dt>
                  <dd>
                    {keys.map((key) => {
                      const text = shown(key)
                      return <Kbd key={text} keys={text} />
                    })}
                  </dd>
                </div>
              )
            })}
          </dl>
        </section>
      ))}
    </div>
  )
}

/** Keys written apart are several caps already. */
function shown(keys: string): string {
  return keys.includes(' ') && keys.length > 2 && !keys.includes('+') ? keys : shownKeys(keys)
}

function lineOf(id: ActionId) {
  const action = actionOf(id)
  const keys = action.shortcuts ?? (action.shownKeys === undefined ? [] : [action.shownKeys])
  return { label: action.label, keys: keys.slice(0, 1) }
}
