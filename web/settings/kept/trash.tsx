// What was deleted and can still be brought back. Loaded by nobody whose server keeps nothing.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import {
  FolderInput,
  HardDrive,
  History,
  RotateCcw,
  Search,
  Trash2,
  UserRound,
  X,
} from 'lucide-react'
import { useState } from 'react'
import { useSnapshot } from 'valtio'
import {
  listTrash,
  type TrashPage as Page,
  type TrashFilter,
  type TrashItem,
} from '../../api/trash.ts'
import { hasVersions } from '../../lib/boot.ts'
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
import { LeftVersionsList } from './left-versions.tsx'
import { askToEmpty, eraseEntries, restoreElsewhere, restoreEntries } from './trash-actions.ts'
import { trashPath } from './trash-address.ts'
import { TrashEntry } from './trash-entry.tsx'
import { TrashTable } from './trash-table.tsx'
import { UsageOfAll } from './trash-usage.tsx'

await loadStylesheet(styles)

export function TrashPage() {
  const admin = useSnapshot(session).user?.perm.admin === true
  const query = useQuery()
  const opened = query.get('entry')
  const [turn, setTurn] = useState(0)
  const [left, setLeft] = useState(false)
  const [usage, setUsage] = useState(false)
  const [changes, setChanges] = useState(0)
  const change = () => setChanges((before) => before + 1)
  const [filter, setFilter] = useState<TrashFilter>(() => {
    return { path: query.get('path') ?? '', account: '', q: '' }
  })
  const asked = useSettled(filter)
  const key = JSON.stringify(asked)
  const loaded = useLoad(`trash ${turn} ${key}`, (signal) => listTrash(asked, '', signal))

  return (
    <>
      {opened !== null && (
        <TrashEntry
          id={opened}
          below={query.get('in') ?? ''}
          onGone={() => {
            setTurn((before) => before + 1)
            change()
            void go(trashPath(), { replace: true })
          }}
        />
      )}
      <div hidden={opened !== null}>
        <div className="tbl-top trash__top row wraps">
          <Filters filter={filter} admin={admin} onChange={setFilter} />
          <span className="grow" />
          {hasVersions && (
            <Chip pressed={left} icon={History} onClick={() => setLeft(!left)}>
              <Trans>Versions without a file</Trans>
            </Chip>
          )}
          {admin && (
            <Button icon={HardDrive} aria-expanded={usage} onClick={() => setUsage(!usage)}>
              <Trans>Storage</Trans>
            </Button>
          )}
          {usage && <UsageOfAll turn={changes} />}
        </div>
        {left ? (
          <LeftVersionsList onChanged={change} />
        ) : (
          <WhenLoaded loaded={loaded}>
            {(page) => (
              <Entries
                key={key}
                first={page}
                filter={asked}
                onChanged={change}
                onEmptied={() => {
                  setTurn((before) => before + 1)
                  change()
                }}
              />
            )}
          </WhenLoaded>
        )}
      </div>
    </>
  )
}

interface FiltersProps {
  filter: TrashFilter
  admin: boolean
  onChange: (filter: TrashFilter) => void
}

function Filters({ filter, admin, onChange }: FiltersProps) {
  const { t } = useLingui()
  const set = (name: keyof TrashFilter) => (value: string) => onChange({ ...filter, [name]: value })
  return (
    <>
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
    </>
  )
}

interface EntriesProps {
  first: Page
  filter: TrashFilter
  onChanged: () => void
  onEmptied: () => void
}

function Entries({ first, filter, onChanged, onEmptied }: EntriesProps) {
  const { older, more } = useOlder(first.next, (from) => listTrash(filter, from))
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const items = [...first.items, ...older].filter(({ id }) => !gone.has(id))

  /** What is no longer in the trash afterwards leaves the table. */
  async function act(work: Promise<string[]>) {
    const done = await work
    if (done.length > 0) onChanged()
    setGone((before) => new Set([...before, ...done]))
    setChosen((before) => new Set([...before].filter((id) => !done.includes(id))))
  }

  if (items.length === 0 && more === null) {
    if (filter.q !== '' || filter.account !== '') {
      return <EmptyState art="search" title={<Trans>Nothing found</Trans>} />
    }
    return (
      <EmptyState art="folder" title={<Trans>The trash is empty</Trans>}>
        <Trans>Deleted items stay in the trash for a while and can be restored.</Trans>
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
  const { total: count, totalBytes } = page
  const size = formatSize(totalBytes)
  return (
    <div className="trash__bar row wraps fs-md">
      <span className="dim num">
        <Plural value={count} one="# item" other="# items" />
        {totalBytes > 0 && ` · ${size}`}
      </span>
      <span className="grow" />
      <Button
        tone="line"
        icon={Trash2}
        onClick={() => askToEmpty().then((done) => done && onEmptied())}
      >
        <Trans>Empty trash</Trans>
      </Button>
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
          <Button icon={RotateCcw} flipIcon onClick={() => act(restoreEntries(picked))}>
            <Trans>Restore</Trans>
          </Button>
          <Button icon={FolderInput} flipIcon onClick={() => act(restoreElsewhere(picked))}>
            <Trans>Restore to…</Trans>
          </Button>
        </>
      )}
      {canErase && (
        <Button tone="danger-text" icon={Trash2} onClick={() => act(eraseEntries(picked))}>
          <Trans>Delete for good</Trans>
        </Button>
      )}
    </div>
  )
}
