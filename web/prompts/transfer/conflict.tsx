// Decides what happens to entries whose names are taken, each by itself or all at once. Used by
// uploads, paste, copy and move; nothing is touched before Continue.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { ArrowRight } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatDayAndTime, formatSize } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useRows } from '../../lib/page/use-rows.ts'
import type { PromptProps } from '../../operations/prompt-kinds.ts'
import type {
  Clash,
  ClashChoice,
  ClashSide,
  ConflictProps,
} from '../../operations/transfer-types.ts'
import { Badge, Chip } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FileTile, PageIcon } from '../../ui/file-icon.tsx'
import { Segmented, type SegmentedOption } from '../../ui/toggle.tsx'
import {
  type BulkRule,
  bulkChoice,
  canReplace,
  countChoices,
  matchingRule,
  newerSide,
  presetChoices,
} from './clash-rules.ts'
import styles from './conflict.css?url'

await loadStylesheet(styles)

/** Longer lists show only the cards in sight. */
const VIRTUAL_FROM = 50
const CARD_HEIGHT_PX = 138

export function ConflictPrompt({ answer, ...props }: PromptProps<'conflict'>) {
  const { t } = useLingui()
  const [preset] = useState(() => presetChoices(props))
  const [choices, setChoices] = useState(preset)
  const { clashes, allowReplace, targetName, kind } = props
  const rule = matchingRule(props, choices)
  const single = clashes.length === 1 ? clashes[0] : undefined
  const count = clashes.length

  function chooseForAll(next: BulkRule) {
    setChoices(new Map(clashes.map((clash) => [clash.id, bulkChoice(next, clash, allowReplace)])))
  }

  return (
    <Dialog
      size="wide"
      fullOnPhone
      className="conflict"
      title={
        single ? (
          <Trans>
            “<bdi>{single.name}</bdi>” already exists in “<bdi>{targetName}</bdi>”
          </Trans>
        ) : (
          <Trans>
            <Subject count={count} onlyFiles={clashes.every((clash) => !clash.incoming.isDir)} /> in
            “<bdi>{targetName}</bdi>”
          </Trans>
        )
      }
      subtitle={
        single
          ? t`Choose which one to keep.`
          : t`Choose an action for each item, or apply one to all.`
      }
      guarded={choices !== preset}
      onClose={() => answer(null)}
      onSubmit={() => answer(choices)}
      lead={<Outcome choices={choices} />}
      answers={
        <Button tone="fill" type="submit" data-autofocus>
          <Trans>Continue</Trans>
        </Button>
      }
    >
      {!single && <ForAll {...props} rule={rule} onChoose={chooseForAll} />}
      <Cards
        clashes={clashes}
        choices={choices}
        kind={kind}
        allowReplace={allowReplace}
        onChoose={(id, choice) => setChoices((before) => new Map(before).set(id, choice))}
      />
    </Dialog>
  )
}

interface ForAllProps extends ConflictProps {
  rule: BulkRule | null
  onChoose(rule: BulkRule): void
}

function ForAll({ allowReplace, allowResume, otherCount, rule, onChoose }: ForAllProps) {
  const { t } = useLingui()
  const chip = (value: BulkRule, label: string) => (
    <Chip pressed={rule === value} onClick={() => onChoose(value)}>
      {label}
    </Chip>
  )
  return (
    <fieldset className="conflict__all row wraps fs-md" aria-label={t`Apply to all`}>
      <span className="mid">
        <Trans>Apply to all:</Trans>
      </span>
      {allowReplace && chip('older', t`Replace older`)}
      {allowReplace && chip('replace', t`Replace`)}
      {chip('rename', t`Keep both`)}
      {chip('skip', t`Skip`)}
      {allowResume && allowReplace && (
        <Chip
          pressed={rule === 'resume'}
          data-tip={t`Uploads files that are larger here or were interrupted, and skips the rest`}
          onClick={() => onChoose('resume')}
        >
          <Trans>Resume upload</Trans>
        </Chip>
      )}
      <span className="grow" />
      {otherCount > 0 && (
        <span className="conflict__rest dim num">
          <Plural
            value={otherCount}
            one="# other file has no conflict"
            other="# other files have no conflict"
          />
        </span>
      )}
    </fieldset>
  )
}

function Subject({ count, onlyFiles }: { count: number; onlyFiles: boolean }) {
  return onlyFiles ? (
    <Plural value={count} one="# file already exists" other="# files already exist" />
  ) : (
    <Plural value={count} one="# item already exists" other="# items already exist" />
  )
}

interface CardsProps {
  clashes: readonly Clash[]
  choices: ReadonlyMap<string, ClashChoice>
  kind: ConflictProps['kind']
  allowReplace: boolean
  onChoose: (id: string, choice: ClashChoice) => void
}

function Cards({ clashes, choices, ...rest }: CardsProps) {
  const card = (clash: Clash) => (
    <Card clash={clash} choice={choices.get(clash.id) ?? 'skip'} {...rest} />
  )
  if (clashes.length > VIRTUAL_FROM) return <VirtualCards clashes={clashes} card={card} />
  return (
    <ul className="conflict__cards">
      {clashes.map((clash) => (
        <li key={clash.id}>{card(clash)}</li>
      ))}
    </ul>
  )
}

interface VirtualCardsProps {
  clashes: readonly Clash[]
  card: (clash: Clash) => ReactNode
}

function VirtualCards({ clashes, card }: VirtualCardsProps) {
  const list = useRef<HTMLUListElement>(null)
  const virtual = useRows(
    () => list.current?.closest<HTMLElement>('.dlg__body') ?? null,
    clashes.length,
    CARD_HEIGHT_PX,
    { gap: 10, overscan: 4, scrollMargin: list.current?.offsetTop ?? 0 },
  )
  return (
    <ul
      ref={list}
      className="conflict__cards conflict__cards--virtual relative"
      style={{ blockSize: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map((row) => {
        const clash = clashes[row.index]
        if (clash === undefined) return null
        return (
          <li
            key={clash.id}
            ref={virtual.measureElement}
            data-index={row.index}
            aria-setsize={clashes.length}
            aria-posinset={row.index + 1}
            style={{ translate: `0 ${row.start - virtual.options.scrollMargin}px` }}
          >
            {card(clash)}
          </li>
        )
      })}
    </ul>
  )
}

function Card({
  clash,
  choice,
  kind,
  allowReplace,
  onChoose,
}: {
  clash: Clash
  choice: ClashChoice
} & Omit<CardsProps, 'clashes' | 'choices'>) {
  const { t } = useLingui()
  const { incoming, existing, location, name } = clash
  const newer = newerSide(clash)
  const replaceable = canReplace(clash, allowReplace)
  const merges = incoming.isDir && existing.isDir
  const options: SegmentedOption<ClashChoice>[] = [
    { value: 'rename', label: t`Keep both` },
    { value: 'skip', label: t`Skip` },
  ]
  if (replaceable) options.unshift({ value: 'replace', label: merges ? t`Merge` : t`Replace` })
  const incomingWords = { upload: t`Uploading`, copy: t`Copying`, move: t`Moving` }[kind]

  return (
    <section className="conflict__card stack" aria-label={name}>
      <div className="conflict__head row">
        <FileTile entry={{ name, isDir: incoming.isDir }} />
        <span className="conflict__name trunc grow strong">
          {location !== '' && <bdi className="dim">{location}/</bdi>}
          <bdi>{name}</bdi>
        </span>
        <Segmented
          label={t`Action for “${name}”`}
          value={choice}
          options={options}
          onChange={(value) => onChoose(clash.id, value)}
        />
      </div>
      <div className="conflict__sides stack">
        <Side
          side={incoming}
          name={name}
          title={incomingWords}
          kept={choice !== 'skip'}
          newer={newer === 'incoming'}
        />
        <ArrowRight className="i dim flip not-phone" aria-hidden />
        <Side
          side={existing}
          name={name}
          title={t`Existing`}
          kept={choice !== 'replace' || merges}
          newer={newer === 'existing'}
        />
      </div>
      {!replaceable && (
        <p className="hint">
          {allowReplace
            ? t`A file can’t replace a folder, or a folder a file.`
            : t`You don’t have permission to replace this item.`}
        </p>
      )}
    </section>
  )
}

interface SideProps {
  side: ClashSide
  name: string
  title: string
  kept: boolean
  newer: boolean
}

function Side({ side, name, title, kept, newer }: SideProps) {
  const { t } = useLingui()
  const [thumbnail, forget] = useThumbnail(side)
  const facts = [
    side.modifiedMs === null ? t`Date unknown` : formatDayAndTime(side.modifiedMs),
    side.isDir ? t`Folder` : side.sizeBytes === null ? t`Size unknown` : formatSize(side.sizeBytes),
  ]
  return (
    <div
      className={
        kept
          ? 'conflict__side row conflict__side--kept shrinks rounded'
          : 'conflict__side row shrinks rounded'
      }
    >
      <span className="conflict__picture center rigid">
        {thumbnail === null ? (
          <PageIcon entry={{ name, isDir: side.isDir }} />
        ) : (
          <img src={thumbnail} alt="" decoding="async" onError={forget} />
        )}
      </span>
      <div className="grow">
        <strong>{title}</strong>
        <small className="num">{facts.join(' · ')}</small>
      </div>
      {!kept && <span className="sr">{t`Won’t be kept`}</span>}
      {newer && (
        <Badge tone="ok">
          <Trans>Newer</Trans>
        </Badge>
      )}
    </div>
  )
}

/** The address of the picture, and a function for when it turns out to be none. */
function useThumbnail(side: ClashSide): [string | null, () => void] {
  const [address, setAddress] = useState<string | null>(null)
  const { thumbnail } = side
  useEffect(() => {
    if (thumbnail === undefined) return
    let gone = false
    let made: string | null = null
    void Promise.resolve(thumbnail()).then((url) => {
      made = url
      if (gone) release(url)
      else setAddress(url)
    })
    return () => {
      gone = true
      release(made)
      setAddress(null)
    }
  }, [thumbnail])
  return [address, () => setAddress(null)]
}

/** Pictures of local files are object URLs, which live until they are told to go. */
function release(url: string | null) {
  if (url?.startsWith('blob:')) URL.revokeObjectURL(url)
}

function Outcome({ choices }: { choices: ReadonlyMap<string, ClashChoice> }) {
  const { replace, rename, skip } = countChoices(choices)
  const parts = [
    replace > 0 && <Plural key="replace" value={replace} one="# to replace" other="# to replace" />,
    rename > 0 && (
      <Plural key="rename" value={rename} one="# to keep both" other="# to keep both" />
    ),
    skip > 0 && <Plural key="skip" value={skip} one="# to skip" other="# to skip" />,
  ].filter((part) => part !== false)
  return (
    <span className="conflict__outcome grow dim num" role="status">
      {parts.map((part, at) => (
        <span key={part.key}>
          {at > 0 && ' · '}
          {part}
        </span>
      ))}
    </span>
  )
}
