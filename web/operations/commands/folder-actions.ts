import { msg } from '@lingui/core/macro'
import {
  ArrowUp,
  Camera,
  CircleCheck,
  Columns3,
  FilePlus2,
  FolderPlus,
  FolderUp,
  Globe,
  Images,
  LayoutGrid,
  LayoutTemplate,
  List,
  ListChecks,
  ListFilter,
  RefreshCw,
  Rows4,
  Shapes,
  SquareDashedMousePointer,
  Trash2,
  Upload,
} from 'lucide-react'
import type { ViewMode } from '../../../src/api-types.ts'
import { canFetch, hasTrash } from '../../lib/boot.ts'
import { fileClassOf } from '../../lib/file-class.ts'
import { canPickFolders, NARROW, PHONE } from '../../lib/page/media.ts'
import { go, goHref } from '../../lib/page/navigate.ts'
import { filesHref, ROOT, realFolder } from '../../lib/paths.ts'
import { listing, shownFolder } from '../../state/listing.ts'
import { prefs, setPref } from '../../state/prefs.ts'
import {
  invertSelection,
  selection,
  selectPaths,
  startSelectionMode,
  toggleAll,
} from '../../state/selection.ts'
import { slots, whenProvided } from '../../state/slots.ts'
import { refreshUsage } from '../../state/usage.ts'
import { chooseView } from '../choose-view.ts'
import { refreshFolder } from '../open-folder.ts'
import { openPrompt } from '../prompts.ts'
import { currentContext } from './context.ts'
import { openFolder as open, openParent } from './open-entry.ts'
import { type Action, type ActionContext, runOn } from './types.ts'

const openFolder = ({ folder }: ActionContext) => folder
/** Where one goes up from: also where the folder is still on its way. */
function upFrom({ folder }: ActionContext): string | null {
  const { mounted, phase } = listing
  return folder ?? (mounted && phase.kind === 'loading' ? realFolder(phase.vpath) : null)
}
const inListing = ({ folder }: ActionContext) => folder !== null
const inFolder = ({ folder, isSearch }: ActionContext) => folder !== null && !isSearch
const canCreate = (context: ActionContext) => context.can.create && inFolder(context)

/** There is room for them, too. */
const showsColumns = ({ isSearch }: ActionContext) =>
  prefs.columns && !isSearch && !matchMedia(NARROW).matches

const hasEntries = ({ folder }: ActionContext) =>
  folder !== null && shownFolder().visible.length > 0
const pickUploads = (what: 'files' | 'folder' | 'camera') =>
  runOn(openFolder, (folder) => slots.uploads?.pick(what, folder))

function viewAction<const Id extends string>(
  id: Id,
  view: ViewMode,
  rest: Pick<Action, 'label' | 'icon' | 'shortcuts'>,
) {
  return {
    ...rest,
    id,
    enabled: inFolder,
    checked: (context) => shownFolder().view === view && !showsColumns(context),
    run: () => chooseView(view),
  } satisfies Action
}

export const folderActions = [
  {
    id: 'deleted-here',
    label: msg`Show deleted items`,
    icon: Trash2,
    enabled: (context) => hasTrash && inFolder(context),
    run: runOn(openFolder, (path) => void go(`/settings/trash?${new URLSearchParams({ path })}`)),
  },
  {
    id: 'new-folder',
    label: msg`New folder`,
    icon: FolderPlus,
    shortcuts: ['Alt+N'],
    enabled: canCreate,
    run: runOn(openFolder, async (folder) => {
      await openPrompt('newFolder', { folder })
    }),
  },
  {
    id: 'new-file',
    label: msg`New file`,
    icon: FilePlus2,
    shortcuts: ['Alt+Shift+N'],
    enabled: canCreate,
    run: runOn(openFolder, async (folder) => {
      const made = await openPrompt('newFile', { folder })
      if (made !== null) await goHref(filesHref(made, false))
    }),
  },
  {
    id: 'new-from-template',
    label: msg`New from template`,
    icon: LayoutTemplate,
    enabled: canCreate,
    run: runOn(openFolder, async (folder) => {
      const made = await openPrompt('newFromTemplate', { folder })
      if (made !== null) await goHref(filesHref(made, false))
    }),
  },
  {
    id: 'upload-files',
    label: msg`Upload files`,
    icon: Upload,
    shortcuts: ['Alt+U'],
    enabled: canCreate,
    run: pickUploads('files'),
  },
  {
    id: 'upload-folder',
    label: msg`Upload folder`,
    icon: FolderUp,
    enabled: (context) => canCreate(context) && canPickFolders(),
    run: pickUploads('folder'),
  },
  {
    id: 'take-photo',
    label: msg`Take photo`,
    icon: Camera,
    // A computer would only show its file dialog once more.
    enabled: (context) => canCreate(context) && matchMedia('(pointer: coarse)').matches,
    run: pickUploads('camera'),
  },
  {
    id: 'fetch-file',
    label: msg`From an address…`,
    icon: Globe,
    enabled: (context) => canFetch && canCreate(context),
    run: runOn(openFolder, async (folder) => {
      const { fetchInto } = await import('./fetch-file.ts')
      await fetchInto(folder)
    }),
  },
  {
    id: 'refresh',
    label: msg`Refresh`,
    icon: RefreshCw,
    enabled: inListing,
    async run() {
      refreshUsage()
      await refreshFolder()
    },
  },
  {
    id: 'filter',
    get label() {
      return currentContext().isSearch ? msg`Filter results` : msg`Filter this folder`
    },
    icon: ListFilter,
    shortcuts: ['/'],
    enabled: inListing,
    // The bar of a selection, which has it, may still be loading.
    run: () => whenProvided('filter', ({ run }) => run()),
  },
  {
    id: 'go-up',
    label: msg`Parent folder`,
    icon: ArrowUp,
    shortcuts: ['Alt+ArrowUp', 'Backspace'],
    enabled: (context) => context.isSearch || (upFrom(context) ?? ROOT) !== ROOT,
    run: runOn(upFrom, (folder, { isSearch }) => (isSearch ? open : openParent)(folder)),
  },
  {
    id: 'select',
    label: msg`Select`,
    icon: CircleCheck,
    enabled: (context) => hasEntries(context) && !selection.mode,
    run: () => startSelectionMode(),
  },
  {
    id: 'select-all',
    label: msg`Select all`,
    icon: ListChecks,
    shortcuts: ['Mod+A'],
    enabled: hasEntries,
    run: () => toggleAll(shownFolder().visible),
  },
  {
    id: 'select-kind',
    label: msg`Select same kind`,
    icon: Shapes,
    enabled: ({ folder, selected }) => folder !== null && selected.length > 0,
    run: ({ selected }) => {
      const kinds = new Set(selected.map(fileClassOf))
      const same = shownFolder().visible.filter((entry) => kinds.has(fileClassOf(entry)))
      selectPaths(same.map(({ path }) => path))
    },
  },
  {
    id: 'invert-selection',
    label: msg`Invert selection`,
    icon: SquareDashedMousePointer,
    enabled: hasEntries,
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
    id: 'view-columns',
    label: msg`Columns`,
    icon: Columns3,
    shortcuts: ['Mod+Shift+4'],
    enabled: (context) => inFolder(context) && !matchMedia(NARROW).matches,
    checked: showsColumns,
    run: () => setPref('columns', true),
  },
  {
    id: 'compact-rows',
    label: msg`Compact rows`,
    icon: Rows4,
    toggle: true,
    enabled: (context) =>
      inListing(context) &&
      shownFolder().view === 'list' &&
      !showsColumns(context) &&
      !matchMedia(PHONE).matches,
    checked: () => prefs.compactRows,
    run: () => setPref('compactRows', !prefs.compactRows),
  },
] as const satisfies readonly Action[]
