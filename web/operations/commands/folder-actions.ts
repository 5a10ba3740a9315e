// Commands on the open folder and on what it shows.

import { msg } from '@lingui/core/macro'
import {
  ArrowUp,
  Camera,
  CircleCheck,
  FilePlus2,
  FolderPlus,
  FolderUp,
  Images,
  LayoutGrid,
  List,
  ListChecks,
  ListFilter,
  RefreshCw,
  Rows4,
  SquareDashedMousePointer,
  Upload,
} from 'lucide-react'
import type { ViewMode } from '../../../src/api-types.ts'
import { boot } from '../../lib/boot.ts'
import { canPickFolders, PHONE } from '../../lib/page/media.ts'
import { goHref } from '../../lib/page/navigate.ts'
import { filesHref } from '../../lib/paths.ts'
import { shownFolder } from '../../state/listing.ts'
import { prefs, setPref } from '../../state/prefs.ts'
import { invertSelection, selection, startSelectionMode, toggleAll } from '../../state/selection.ts'
import { slots } from '../../state/slots.ts'
import { refreshUsage } from '../../state/usage.ts'
import { chooseView } from '../choose-view.ts'
import { refreshFolder } from '../open-folder.ts'
import { openPrompt } from '../prompts.ts'
import { openParent } from './open-entry.ts'
import type { Action, ActionContext } from './types.ts'

const canCreate = ({ can, folder }: ActionContext) => can.create && folder !== null

function viewAction(
  id: string,
  view: ViewMode,
  rest: Pick<Action, 'label' | 'icon' | 'shortcuts'>,
) {
  return {
    ...rest,
    id,
    scope: 'listing',
    enabled: ({ folder }) => folder !== null,
    checked: () => shownFolder().view === view,
    run: () => chooseView(view),
  } satisfies Action
}

export const folderActions = [
  {
    id: 'new-folder',
    label: msg`New folder`,
    icon: FolderPlus,
    shortcuts: ['Alt+N'],
    scope: 'listing',
    enabled: canCreate,
    async run({ folder }) {
      if (folder !== null) await openPrompt('newFolder', { folder })
    },
  },
  {
    id: 'new-file',
    label: msg`New file`,
    icon: FilePlus2,
    shortcuts: ['Alt+Shift+N'],
    scope: 'listing',
    enabled: canCreate,
    async run({ folder }) {
      if (folder === null) return
      const made = await openPrompt('newFile', { folder })
      if (made !== null) await goHref(filesHref(boot.BaseURL, made, false))
    },
  },
  {
    id: 'upload-files',
    label: msg`Upload files`,
    icon: Upload,
    shortcuts: ['Alt+U'],
    scope: 'listing',
    enabled: canCreate,
    run({ folder }) {
      if (folder !== null) slots.uploads?.pick('files', folder)
    },
  },
  {
    id: 'upload-folder',
    label: msg`Upload folder`,
    icon: FolderUp,
    scope: 'listing',
    enabled: (context) => canCreate(context) && canPickFolders(),
    run({ folder }) {
      if (folder !== null) slots.uploads?.pick('folder', folder)
    },
  },
  {
    id: 'take-photo',
    label: msg`Take photo`,
    icon: Camera,
    scope: 'listing',
    // A computer would only show its file dialog once more.
    enabled: (context) => canCreate(context) && matchMedia('(pointer: coarse)').matches,
    run({ folder }) {
      if (folder !== null) slots.uploads?.pick('camera', folder)
    },
  },
  {
    id: 'refresh',
    label: msg`Refresh`,
    icon: RefreshCw,
    scope: 'listing',
    enabled: ({ folder }) => folder !== null,
    async run() {
      refreshUsage()
      await refreshFolder()
    },
  },
  {
    id: 'filter',
    label: msg`Filter this folder`,
    icon: ListFilter,
    shortcuts: ['/'],
    scope: 'listing',
    enabled: ({ folder }) => folder !== null,
    run: () => slots.filter?.run(),
  },
  {
    id: 'go-up',
    label: msg`Parent folder`,
    icon: ArrowUp,
    shortcuts: ['Alt+ArrowUp', 'Backspace'],
    scope: 'listing',
    enabled: ({ folder }) => folder !== null && folder !== '/',
    run({ folder }) {
      if (folder !== null) openParent(folder)
    },
  },
  {
    id: 'select',
    label: msg`Select`,
    icon: CircleCheck,
    scope: 'listing',
    enabled: ({ folder }) => folder !== null && shownFolder().visible.length > 0 && !selection.mode,
    run: () => startSelectionMode(),
  },
  {
    id: 'select-all',
    label: msg`Select all`,
    icon: ListChecks,
    shortcuts: ['Mod+A'],
    scope: 'listing',
    enabled: ({ folder }) => folder !== null && shownFolder().visible.length > 0,
    run: () => toggleAll(shownFolder().visible),
  },
  {
    id: 'invert-selection',
    label: msg`Invert selection`,
    icon: SquareDashedMousePointer,
    scope: 'listing',
    enabled: ({ folder }) => folder !== null && shownFolder().visible.length > 0,
    run: () => invertSelection(shownFolder().visible),
  },
  viewAction('view-list', 'list', {
    label: msg`List`,
    icon: List,
    shortcuts: ['Mod+Shift+1'],
  }),
  viewAction('view-grid', 'mosaic', {
    label: msg`Grid`,
    icon: LayoutGrid,
    shortcuts: ['Mod+Shift+2'],
  }),
  viewAction('view-gallery', 'mosaic gallery', {
    label: msg`Gallery`,
    icon: Images,
    shortcuts: ['Mod+Shift+3'],
  }),
  {
    id: 'compact-rows',
    label: msg`Compact rows`,
    icon: Rows4,
    scope: 'listing',
    toggle: true,
    enabled: ({ folder }) =>
      folder !== null && shownFolder().view === 'list' && !matchMedia(PHONE).matches,
    checked: () => prefs.compactRows,
    run: () => setPref('compactRows', !prefs.compactRows),
  },
] as const satisfies readonly Action[]
