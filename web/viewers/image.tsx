// Pictures: fitted first, then zoomed at the pointer, panned, pinched, turned, shown one by one.

import { Trans, useLingui } from '@lingui/react/macro'
import { Pause, Play, RotateCw, Scan, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../src/api-types.ts'
import { Button } from '../ui/button.tsx'
import { type ImagePlan, planImage, type Rendition, renditionUrl } from './image-plan.ts'
import { kindOf } from './kinds.ts'
import {
  DEEP_HEAD_BYTES,
  HEAD_BYTES,
  isJpeg,
  type PictureFacts,
  readPictureFacts,
} from './picture-facts.ts'
import type { FileSource, ViewerProps } from './source.ts'
import { Busy, Message, TextTool, Tool, ToolGap, Tools } from './tools.tsx'
import { usePicture } from './use-picture.ts'
import { useSize } from './use-size.ts'
import { useViewerKeys } from './viewer-keys.ts'

const SLIDE_MS = 4000

interface Prepared {
  facts: PictureFacts | null
  plan: ImagePlan
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
    if (ready === entry.path) prefetch(source, siblings, entry)
  }, [ready, source, siblings, entry])

  useViewerKeys((event) => {
    if (sliding && event.key === 'Escape') {
      setSliding(false)
      return true
    }
    return false
  })

  if (prepared?.entry !== entry) return <Busy />
  return (
    <Picture
      {...props}
      key={entry.path}
      {...prepared.value}
      sliding={sliding}
      toggleSliding={nextPicture(siblings, entry) ? () => setSliding(!sliding) : null}
      onShown={() => setReady(entry.path)}
    />
  )
}

/** Reads size and orientation from the head of the file; a failure only means not knowing. */
function usePrepared(source: FileSource, entry: FileEntry) {
  const [prepared, setPrepared] = useState<{ entry: FileEntry; value: Prepared } | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    readFacts(source, entry, abort.signal)
      .catch(() => null)
      .then((facts) => {
        if (abort.signal.aborted) return
        setPrepared({ entry, value: { facts, plan: planImage(source, entry, facts) } })
      })
    return () => abort.abort()
  }, [source, entry])
  return prepared
}

async function readFacts(source: FileSource, entry: FileEntry, signal: AbortSignal) {
  const head = await source.readRange(entry, 0, HEAD_BYTES, signal)
  const facts = readPictureFacts(head)
  if (facts || !isJpeg(head) || entry.size <= HEAD_BYTES) return facts
  return readPictureFacts(await source.readRange(entry, 0, DEEP_HEAD_BYTES, signal))
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
  onShown(): void
}

function Picture(props: PictureProps) {
  const { source, entry, setFacts, facts, plan, sliding, toggleSliding, onShown } = props
  const { t } = useLingui()
  const stage = useRef<HTMLDivElement>(null)
  const stageSize = useSize(stage)
  const [loaded, setLoaded] = useState<PictureFacts | null>(null)
  const [rendition, setRendition] = useState<Rendition | null>(plan.first)
  const [showOriginal, setShowOriginal] = useState(false)
  const size = facts ?? loaded ?? { width: 0, height: 0 }
  const picture = usePicture(stage, stageSize, size)
  const { view, turns, fitted } = picture

  const percent = Math.round(view.scale * 100)
  const sharpen =
    plan.sharpenOnZoom && loaded !== null && view.scale * size.width > loaded.width * 1.2

  useEffect(() => {
    if (size.width > 0) setFacts(t`${size.width} × ${size.height}`)
  }, [size.width, size.height, setFacts, t])

  useEffect(() => {
    if (sharpen && rendition === 'preview' && !fitted) setShowOriginal(true)
  }, [sharpen, rendition, fitted])

  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    switch (event.key) {
      case '+':
      case '=':
        picture.zoom(1.25)
        return true
      case '-':
        picture.zoom(0.8)
        return true
      case '0':
        picture.fit()
        return true
      case '1':
        picture.zoomTo(1)
        return true
      case 'r':
      case 'R':
        picture.turn()
        return true
      case ' ':
        if (!toggleSliding) return false
        toggleSliding()
        return true
      default:
        // While zoomed in, arrows move the picture and do not turn to the next.
        return !fitted && picture.panByKey(event.key)
    }
  })

  if (rendition === null) {
    return (
      <Message
        source={source}
        entry={entry}
        title={t`This picture can’t be shown`}
        actions={
          plan.hasOriginal ? (
            <Button
              tone="line"
              onClick={() => {
                setShowOriginal(true)
                setRendition('original')
              }}
            >
              <Trans>Try the original</Trans>
            </Button>
          ) : null
        }
      >
        {plan.hasOriginal ? (
          <Trans>It is very large, and the server made no preview of it.</Trans>
        ) : (
          <Trans>The file is damaged or in a format that can’t be read here.</Trans>
        )}
      </Message>
    )
  }

  const width = size.width * view.scale
  const height = size.height * view.scale
  const style = {
    inlineSize: width,
    blockSize: height,
    transform: `translate(${view.x}px, ${view.y}px) rotate(${turns * 90}deg)`,
  }
  const src = renditionUrl(source, entry, rendition)

  return (
    <div
      className="vw-picture"
      ref={stage}
      data-gestures={fitted ? 'shared' : 'own'}
      {...picture.handlers}
    >
      {!loaded && <Busy />}
      <img
        src={src}
        alt={entry.name}
        draggable={false}
        data-shown={loaded !== null}
        data-pixels={view.scale >= 4}
        style={style}
        onLoad={({ currentTarget: img }) => {
          // A drawing without a size of its own reports 0; give it the stage.
          const own = {
            width: img.naturalWidth || stageSize.width,
            height: img.naturalHeight || stageSize.height,
          }
          setLoaded(own)
          onShown()
        }}
        onError={() => {
          setLoaded(null)
          setRendition(rendition === plan.first ? plan.second : null)
        }}
      />
      {showOriginal && rendition === 'preview' && (
        <img
          src={renditionUrl(source, entry, 'original')}
          alt=""
          draggable={false}
          data-shown="true"
          style={style}
          // The preview below stays in sight while the original arrives, and when it fails.
          onError={() => setShowOriginal(false)}
        />
      )}
      <Tools label={t`Picture`}>
        <Tool icon={ZoomOut} label={t`Zoom out`} onClick={() => picture.zoom(0.8)} />
        <output className="vw-percent" aria-label={t`Zoom`}>
          {loaded ? t`${percent}%` : ''}
        </output>
        <Tool icon={ZoomIn} label={t`Zoom in`} onClick={() => picture.zoom(1.25)} />
        <ToolGap />
        <Tool icon={Scan} label={t`Fit to window`} pressed={fitted} onClick={picture.fit} />
        <TextTool
          label={t`Actual size`}
          pressed={percent === 100}
          onClick={() => picture.zoomTo(1)}
        >
          1:1
        </TextTool>
        <Tool icon={RotateCw} label={t`Rotate`} onClick={picture.turn} />
        {toggleSliding && (
          <Tool
            icon={sliding ? Pause : Play}
            label={sliding ? t`Stop slideshow` : t`Slideshow`}
            pressed={sliding}
            onClick={toggleSliding}
          />
        )}
        {plan.hasOriginal && rendition === 'preview' && (
          <>
            <ToolGap />
            <TextTool pressed={showOriginal} onClick={() => setShowOriginal(!showOriginal)}>
              <Trans>Original</Trans>
            </TextTool>
          </>
        )}
      </Tools>
    </div>
  )
}
