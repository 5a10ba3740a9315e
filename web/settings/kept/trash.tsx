// What was deleted and can still be brought back. Loaded by nobody whose server keeps nothing.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { FolderInput, HardDrive, RotateCcw, Search, Trash2, UserRound, X } from 'lucide-react'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import {
  listTrash,
  type TrashPage as Page,
  type TrashFilter,
  type TrashItem,
} from '../../api/trash.ts'
import { formatSize } from '../../lib/format.ts'
import { go, useQuery } from '../../lib/page/navigate.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { folderTitle } from '../../operations/failure-toasts.ts'
import { session } from '../../state/session.ts'
import { Chip } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { useSettled } from '../activity/use-settled.ts'
import { WhenLoaded } from '../parts.tsx'
import { useLoad } from '../use-load.ts'
import { useOlder } from '../use-older.tsx'
import styles from './kept.css?url'
import { askToEmpty, eraseEntries, restoreElsewhere, restoreEntries } from './trash-actions.ts'
import { trashPath } from './trash-address.ts'
import { TrashEntry } from './trash-entry.tsx'
import { TrashTable } from './trash-table.tsx'
import { UsageOfAll } from './trash-usage.tsx'

await loadStylesheet(styles)

export function TrashPage() {
  const { t } = useLingui()
  const admin = useSnapshot(session).user?.perm.admin === true
  const query = useQuery()
  const opened = query.get('entry')
  const [turn, setTurn] = useState(0)
  const [filter, setFilter] = useState<TrashFilter>(() => {
    return { path: query.get('path') ?? '', account: '', q: '' }
  })
  const asked = useSettled(filter)
  const key = JSON.stringify(asked)
  const loaded = useLoad(`trash ${turn} ${key}`, (signal) => listTrash(asked, '', signal))
  const set = (name: keyof TrashFilter) => (value: string) =>
    setFilter({ ...filter, [name]: value })

  return (
    <>
      {opened !== null && (
        <TrashEntry
          id={opened}
          below={query.get('in') ?? ''}
          onGone={() => {
            setTurn(turn + 1)
            void go(trashPath(), { replace: true })
          }}
        />
      )}
      <div hidden={opened !== null}>
        <div className="tbl-top trash__top row wraps">
          <TextField
            hideLabel
            label={t`Search`}
            placeholder={t`Search`}
            type="search"
            icon={Search}
            value={filter.q}
            onChange={set('q')}
          />
          {admin && (
            <TextField
              hideLabel
              label={t`Username`}
              placeholder={t`Username`}
              type="search"
              autoCapitalize="none"
              icon={UserRound}
              value={filter.account}
              onChange={set('account')}
            />
          )}
          {filter.path !== '' && (
            <Chip pressed icon={X} data-tip={t`Clear filter`} onClick={() => set('path')('')}>
              <bdi>{folderTitle(filter.path)}</bdi>
            </Chip>
          )}
        </div>
        <WhenLoaded loaded={loaded}>
          {(page) => (
            <Entries key={key} first={page} filter={asked} onEmptied={() => setTurn(turn + 1)} />
          )}
        </WhenLoaded>
      </div>
    </>
  )
}

interface EntriesProps {
  first: Page
  filter: TrashFilter
  onEmptied: () => void
}

function Entries({ first, filter, onEmptied }: EntriesProps) {
  const { older, more } = useOlder(first.next, (from) => listTrash(filter, from))
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const items = [...first.items, ...older].filter(({ id }) => !gone.has(id))

  /** What is no longer in the trash afterwards leaves the table. */
  async function act(work: Promise<string[]>) {
    const done = await work
    setGone((before) => new Set([...before, ...done]))
    setChosen((before) => new Set([...before].filter((id) => !done.includes(id))))
  }

  if (items.length === 0 && more === null) {
    if (filter.q !== '' || filter.account !== '') {
      return <EmptyState art="search" title={<Trans>Nothing found</Trans>} />
    }
    return (
      <EmptyState art="folder" title={<Trans>The trash is empty</Trans>}>
        <Trans>What is deleted stays in the trash for a while and can be brought back.</Trans>
      </EmptyState>
    )
  }
  const picked = items.filter(({ id }) => chosen.has(id))
  return (
    <>
      {picked.length > 0 ? (
        <PickedBar picked={picked} onClear={() => setChosen(new Set())} act={act} />
      ) : (
        <Summary page={first} onEmptied={onEmptied} />
      )}
      <TrashTable items={items} chosen={chosen} onChoose={setChosen} act={act} />
      {more}
    </>
  )
}

/** How much there is, and the way to be rid of it. */
function Summary({ page, onEmptied }: { page: Page; onEmptied: () => void }) {
  const admin = useSnapshot(session).user?.perm.admin === true
  const [open, setOpen] = useState(false)
  const { total: count, totalBytes } = page
  const size = formatSize(totalBytes)
  return (
    <div className="trash__bar row wraps fs-md">
      <span className="dim num">
        <Plural value={count} one="# item" other="# items" />
        {totalBytes > 0 && ` · ${size}`}
      </span>
      <span className="grow" />
      {admin && (
        <Button icon={HardDrive} aria-expanded={open} onClick={() => setOpen(!open)}>
          <Trans>Storage</Trans>
        </Button>
      )}
      <Button
        tone="line"
        icon={Trash2}
        onClick={() => void askToEmpty().then((done) => done && onEmptied())}
      >
        <Trans>Empty trash</Trans>
      </Button>
      {open && <UsageOfAll />}
    </div>
  )
}

interface PickedBarProps {
  picked: readonly TrashItem[]
  onClear: () => void
  act: (work: Promise<string[]>) => Promise<void>
}

function PickedBar({ picked, onClear, act }: PickedBarProps) {
  const { t } = useLingui()
  const count = picked.length
  const canRestore = picked.every((item) => item.canRestore)
  const canErase = picked.every((item) => item.canErase)
  return (
    <div className="trash__bar row wraps fs-md" role="toolbar" aria-label={t`Selection`}>
      <IconButton size="sm" icon={X} label={t`Clear selection`} onClick={onClear} />
      <strong className="num">
        <Plural value={count} one="# selected" other="# selected" />
      </strong>
      <span className="grow" />
      {canRestore && (
        <>
          <Button icon={RotateCcw} flipIcon onClick={() => void act(restoreEntries(picked))}>
            <Trans>Restore</Trans>
          </Button>
          <Button icon={FolderInput} flipIcon onClick={() => void act(restoreElsewhere(picked))}>
            <Trans>Restore to…</Trans>
          </Button>
        </>
      )}
      {canErase && (
        <Button tone="danger-text" icon={Trash2} onClick={() => void act(eraseEntries(picked))}>
          <Trans>Delete for good</Trans>
        </Button>
      )}
    </div>
  )
}
