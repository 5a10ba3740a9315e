// The list of hits; only the rows in sight are in the page, however many there are.

import { useLingui } from '@lingui/react/macro'
import { Download, FolderOpen, Link } from 'lucide-react'
import { type Ref, useImperativeHandle, useRef } from 'react'
import type { SearchHit } from '../../src/api-types.ts'
import { absoluteUrl, previewUrl, rawUrl } from '../api/files.ts'
import { boot } from '../lib/boot.ts'
import { fileClassOf } from '../lib/file-class.ts'
import { formatDate, formatSize } from '../lib/format.ts'
import { useRows } from '../lib/page/use-rows.ts'
import { filesHref, joinPath, nameOf, parentOf } from '../lib/paths.ts'
import { hasThumbnail } from '../lib/previews.ts'
import { copyLink } from '../operations/copy-text.ts'
import { markMatches } from '../operations/search/query.ts'
import { showInFolder } from '../operations/search/show-in-folder.ts'
import { abilitiesOn } from '../state/rights.ts'
import { session } from '../state/session.ts'
import { IconButton } from '../ui/button.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { WayBelow } from '../ui/way-below.tsx'
import { EnterKey } from './enter-key.tsx'

const ROW_HEIGHT_PX = 52

export interface ResultsHandle {
  scrollTo(index: number): void
}

interface ResultsProps {
  ref: Ref<ResultsHandle>
  id: string
  base: string
  hits: readonly SearchHit[]
  terms: readonly string[]
  matchCase: boolean
  active: number
  onActive: (index: number) => void
  onClose: () => void
}

export function SearchResults(props: ResultsProps) {
  const { t } = useLingui()
  const { id, hits, active } = props
  const list = useRef<HTMLDivElement>(null)
  const virtual = useRows(() => list.current, hits.length, ROW_HEIGHT_PX, { paddingEnd: 8 })
  useImperativeHandle(props.ref, () => ({ scrollTo: (index) => virtual.scrollToIndex(index) }), [
    virtual,
  ])
  return (
    <div ref={list} className="sx__list scrolls">
      <div
        role="listbox"
        id={`${id}-list`}
        aria-label={t`Results`}
        tabIndex={-1}
        className="relative"
        style={{ blockSize: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          const hit = hits[index]
          if (hit === undefined) return null
          return (
            <Result
              key={hit.path}
              {...props}
              hit={hit}
              index={index}
              active={index === active}
              startPx={start}
            />
          )
        })}
      </div>
    </div>
  )
}

interface ResultProps extends Omit<ResultsProps, 'active' | 'ref'> {
  hit: SearchHit
  index: number
  active: boolean
  startPx: number
}

function Result({
  id,
  base,
  hit,
  hits,
  index,
  active,
  startPx,
  terms,
  matchCase,
  onActive,
  onClose,
}: ResultProps) {
  const vpath = joinPath(base, hit.path)
  const name = nameOf(vpath)
  const href = filesHref(vpath, hit.dir)
  const exact = session.user?.dateFormat === true
  const facts = [
    hit.dir || hit.size === undefined ? null : formatSize(hit.size),
    hit.modified === undefined ? null : formatDate(hit.modified, exact),
  ].filter((fact) => fact !== null)

  return (
    <div
      className={active ? 'sx__row row is-on rounded' : 'sx__row row rounded'}
      style={{ translate: `0 ${startPx}px` }}
      onPointerMove={() => {
        if (!active) onActive(index)
      }}
    >
      <a
        id={`${id}-list-${index}`}
        className="sx__hit row grow"
        role="option"
        aria-selected={active}
        aria-setsize={hits.length}
        aria-posinset={index + 1}
        tabIndex={-1}
        href={href}
        onClick={(event) => {
          if (event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey) onClose()
        }}
      >
        <FileTile entry={{ name, isDir: hit.dir }} thumbnail={thumbnailUrl(hit, vpath)} />
        <span className="sx__words grow">
          <span className="trunc">
            <bdi className="trunc">
              {markMatches(name, terms, matchCase).map((part, at) =>
                part.matches ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: parts of one name never move
                  <mark key={at}>{part.text}</mark>
                ) : (
                  part.text
                ),
              )}
            </bdi>
          </span>
          <small className="trunc">
            <WayBelow base={base} folder={parentOf(vpath)} />
          </small>
        </span>
        {facts.length > 0 && (
          <span className="sx__facts num not-phone nowrap fs-sm dim">{facts.join(' · ')}</span>
        )}
      </a>
      {active && (
        <span className="sx__acts row">
          <Actions vpath={vpath} href={href} isDir={hit.dir} onClose={onClose} />
          <EnterKey />
        </span>
      )}
    </div>
  )
}

interface ActionsProps {
  vpath: string
  href: string
  isDir: boolean
  onClose(): void
}

function Actions({ vpath, href, isDir, onClose }: ActionsProps) {
  const { t } = useLingui()
  return (
    <>
      <IconButton
        size="sm"
        tabIndex={-1}
        icon={FolderOpen}
        label={t`Show in folder`}
        onClick={() => {
          onClose()
          void showInFolder(vpath)
        }}
      />
      <IconButton
        size="sm"
        tabIndex={-1}
        icon={Link}
        label={t`Copy link`}
        onClick={() => void copyLink(absoluteUrl(href))}
      />
      {abilitiesOn(vpath).download && !isDir && (
        <a
          className="ib ib--sm"
          tabIndex={-1}
          href={rawUrl(vpath)}
          download
          aria-label={t`Download`}
          data-tip={t`Download`}
          data-native
        >
          <Download className="i i-sm" aria-hidden />
        </a>
      )}
    </>
  )
}

function thumbnailUrl(hit: SearchHit, vpath: string): string | undefined {
  if (hit.dir || !boot.EnableThumbs || !abilitiesOn(vpath).download) return undefined
  const name = nameOf(vpath)
  if (fileClassOf({ name, isDir: false }) !== 'image') return undefined
  if (!hasThumbnail({ name, type: 'image', size: hit.size ?? 0 })) return undefined
  return previewUrl({ path: vpath, modified: hit.modified ?? '' }, 'thumb')
}
