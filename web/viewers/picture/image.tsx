// Pictures: fitted first, then zoomed at the pointer, panned, pinched, turned, shown one by one.

import { Trans, useLingui } from '@lingui/react/macro'
import { Pause, Play } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { OneVersion } from '../../api/content.ts'
import { savesData } from '../../lib/page/media.ts'
import { Button } from '../../ui/button.tsx'
import { ElementMessage } from '../frame/element-message.tsx'
import { kindOf } from '../frame/kinds.ts'
import type { FileSource, ViewerProps } from '../frame/source.ts'
import { Busy, Tool, Tools } from '../frame/tools.tsx'
import { useFile } from '../frame/use-file.ts'
import { useViewerKeys } from '../frame/viewer-keys.ts'
import { type ImagePlan, planImage, type Rendition, renditionUrl } from './image-plan.ts'
import {
  DEEP_HEAD_BYTES,
  HEAD_BYTES,
  isJpeg,
  type PictureFacts,
  readPictureFacts,
  readTiffDirectory,
  TIFF_DIRECTORY_BYTES,
  tiffDirectoryOf,
} from './picture-facts.ts'
import { PictureStage } from './picture-stage.tsx'

const SLIDE_MS = 4000

interface Prepared {
  facts: PictureFacts | null
  plan: ImagePlan
  /** Of the file that the facts are of. */
  version: OneVersion
}

export function ImageViewer(props: ViewerProps) {
  const { source, entry, siblings, navigate } = props
  const prepared = usePrepared(source, entry)
  const [sliding, setSliding] = useState(false)
  const [ready, setReady] = useState('')

  useEffect(() => {
    if (!sliding || ready !== entry.path) return
    const timer = setTimeout(() => {
      const next = nextPicture(siblings, entry)
      if (next) navigate(next)
      else setSliding(false)
    }, SLIDE_MS)
    return () => clearTimeout(timer)
  }, [sliding, ready, entry, siblings, navigate])

  useEffect(() => {
    if (ready === entry.path && !savesData()) prefetch(source, siblings, entry)
  }, [ready, source, siblings, entry])

  useViewerKeys((event) => {
    if (sliding && event.key === 'Escape') {
      setSliding(false)
      return true
    }
    return false
  })

  if (prepared === null) return <Busy />
  return (
    <Picture
      {...props}
      key={`${entry.path} ${entry.modified}`}
      {...prepared}
      sliding={sliding}
      toggleSliding={nextPicture(siblings, entry) ? () => setSliding(!sliding) : null}
      onShown={() => setReady(entry.path)}
    />
  )
}

/** Reads size and orientation from the head of the file; a failure only means not knowing. */
function usePrepared(source: FileSource, entry: FileEntry) {
  const read = useFile(source, entry, async (signal): Promise<Prepared> => {
    const version = new OneVersion()
    const facts = await readFacts(source, entry, signal, version).catch(() => null)
    return { facts, plan: planImage(source, entry, facts), version }
  })
  return read.state === 'ready' ? read.value : null
}

async function readFacts(
  source: FileSource,
  entry: FileEntry,
  signal: AbortSignal,
  version: OneVersion,
) {
  const head = await source.readRange(entry, 0, HEAD_BYTES, signal, version)
  const facts = readPictureFacts(head)
  const directory = facts ? null : tiffDirectoryOf(head)
  if (directory) {
    const { at } = directory
    const bytes = await source.readRange(entry, at, at + TIFF_DIRECTORY_BYTES, signal, version)
    return readTiffDirectory(bytes, directory.little)
  }
  if (facts || !isJpeg(head) || entry.size <= HEAD_BYTES) return facts
  return readPictureFacts(await source.readRange(entry, 0, DEEP_HEAD_BYTES, signal, version))
}

/** The next picture of the folder, from the start again after the last; null when alone. */
function nextPicture(siblings: readonly FileEntry[], entry: FileEntry): FileEntry | null {
  const pictures = siblings.filter((sibling) => kindOf(sibling) === 'image')
  const at = pictures.findIndex((picture) => picture.path === entry.path)
  const next = pictures[(at + 1) % pictures.length]
  return pictures.length > 1 && next ? next : null
}

/** Asks for the pictures on either side, in the rendition they would most likely be shown in. */
function prefetch(source: FileSource, siblings: readonly FileEntry[], entry: FileEntry) {
  const at = siblings.findIndex((sibling) => sibling.path === entry.path)
  for (const neighbour of [siblings[at + 1], siblings[at - 1]]) {
    if (!neighbour || kindOf(neighbour) !== 'image') continue
    const { first } = planImage(source, neighbour, null)
    if (first) new Image().src = renditionUrl(source, neighbour, first)
  }
}

interface PictureProps extends ViewerProps, Prepared {
  sliding: boolean
  toggleSliding: (() => void) | null
  /** The picture is on the screen, or the reason why there is none. */
  onShown(): void
}

function Picture(props: PictureProps) {
  const { source, entry, siblings, setFacts, facts, plan, version } = props
  const { sliding, toggleSliding, onShown } = props
  const { t } = useLingui()
  const [rendition, setRendition] = useState<Rendition | null>(plan.first)
  const [asked, setAsked] = useState(false)

  const onMessage = useEffectEvent(onShown)
  useEffect(() => {
    // A slideshow passes by what cannot be shown.
    if (rendition === null) onMessage()
  }, [rendition])

  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    if (event.key !== ' ' || !toggleSliding) return false
    toggleSliding()
    return true
  })

  const slideshow = toggleSliding && (
    <Tool
      icon={sliding ? Pause : Play}
      label={sliding ? t`Stop slideshow` : t`Slideshow`}
      pressed={sliding}
      onClick={toggleSliding}
    />
  )
  if (rendition !== null) {
    return (
      <PictureStage
        source={source}
        entry={entry}
        siblings={siblings}
        version={version}
        setFacts={setFacts}
        facts={facts}
        plan={plan}
        rendition={rendition}
        slideshow={slideshow}
        sliding={sliding}
        onShown={onShown}
        onFailed={() => setRendition(rendition === plan.first ? plan.second : null)}
      />
    )
  }
  // Of the server's picture in full there is nothing more to hope for.
  const offersOriginal = plan.hasOriginal && plan.sharp === 'original' && !asked
  return (
    <>
      <ElementMessage
        source={source}
        entry={entry}
        title={t`This picture can’t be shown`}
        actions={
          offersOriginal ? (
            <Button
              tone="line"
              onClick={() => {
                setAsked(true)
                setRendition('original')
              }}
            >
              <Trans>Open the original</Trans>
            </Button>
          ) : null
        }
      >
        {offersOriginal ? (
          <Trans>The picture is too large for a preview.</Trans>
        ) : (
          <Trans>The file is damaged or its format isn’t supported.</Trans>
        )}
      </ElementMessage>
      {sliding && <Tools label={t`Picture`}>{slideshow}</Tools>}
    </>
  )
}
