// One picture on its stage, with the tools to look at it closely. It is mounted together with the box
// it measures: a picture shown only when asked for has none before.

import { Trans, useLingui } from '@lingui/react/macro'
import { RotateCw, Scan, ZoomIn, ZoomOut } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { OneVersion } from '../../api/content.ts'
import { formatDimensions } from '../../lib/format.ts'
import { keyLetter } from '../../lib/page/keys.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { useSize } from '../../lib/page/use-size.ts'
import type { ViewerProps } from '../frame/source.ts'
import { Busy, TextTool, Tool, ToolGap, Tools } from '../frame/tools.tsx'
import { useViewerKeys } from '../frame/viewer-keys.ts'
import { type ImagePlan, type Rendition, renditionUrl } from './image-plan.ts'
import pictureStyles from './picture.css?url'
import type { PictureFacts } from './picture-facts.ts'
import { useEdits } from './use-edits.tsx'
import { usePicture } from './use-picture.ts'

await loadStylesheet(pictureStyles)

interface StageProps extends Pick<ViewerProps, 'source' | 'entry' | 'siblings' | 'setFacts'> {
  /** Of the file that is shown. */
  version: OneVersion
  /** Size in pixels as the head of the file tells it; null when it does not. */
  facts: PictureFacts | null
  plan: ImagePlan
  rendition: Rendition
  /** The button of the slideshow; null for a picture alone. */
  slideshow: ReactNode
  /** The slideshow runs. */
  sliding: boolean
  onShown(): void
  /** The bytes of `rendition` are no picture. */
  onFailed(): void
}

export function PictureStage(props: StageProps) {
  const { source, entry, setFacts, facts, plan, rendition, slideshow, sliding } = props
  const { onShown, onFailed } = props
  const stage = useRef<HTMLDivElement>(null)
  const stageSize = useSize(stage)
  const [loaded, setLoaded] = useState<PictureFacts | null>(null)
  const [showOriginal, setShowOriginal] = useState(false)
  const size = facts ?? loaded ?? { width: 0, height: 0 }
  const picture = usePicture(stage, stageSize, size)
  const { view, turns, fitted } = picture

  const sharpen =
    plan.sharpenOnZoom && loaded !== null && view.scale * size.width > loaded.width * 1.2

  // Of a preview alone the size of the picture is not known.
  const isKnown = size.width > 0 && (facts !== null || rendition !== 'preview')
  useEffect(() => {
    if (isKnown) setFacts(formatDimensions({ width: size.width, height: size.height }))
  }, [isKnown, size.width, size.height, setFacts])

  useEffect(() => {
    if (sharpen && rendition === 'preview' && !fitted) setShowOriginal(true)
  }, [sharpen, rendition, fitted])

  usePictureKeys(picture)
  const edits = useEdits(props, picture, isKnown && loaded !== null ? size : null)

  const style = {
    inlineSize: size.width * view.scale,
    blockSize: size.height * view.scale,
    transform: `translate(${view.x}px, ${view.y}px) rotate(${turns * 90}deg)`,
  }

  return (
    <div
      className="vw-picture center covers"
      ref={stage}
      data-gestures={fitted && edits.crop === null ? 'shared' : 'own'}
      data-running={sliding ? 'slides' : undefined}
      {...(edits.crop === null && picture.handlers)}
    >
      {!loaded && <Busy />}
      <img
        src={renditionUrl(source, entry, rendition)}
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
          onFailed()
        }}
      />
      {showOriginal && rendition === 'preview' && (
        <img
          src={renditionUrl(source, entry, plan.sharp)}
          alt=""
          draggable={false}
          data-shown="true"
          style={style}
          // The preview below stays in sight while the original arrives, and when it fails.
          onError={() => setShowOriginal(false)}
        />
      )}
      {edits.crop ?? (
        <PictureTools picture={picture} percent={loaded && Math.round(view.scale * 100)}>
          {edits.tools}
          {slideshow}
          {plan.hasOriginal && rendition === 'preview' && (
            <>
              <ToolGap />
              <TextTool pressed={showOriginal} onClick={() => setShowOriginal(!showOriginal)}>
                <Trans>Original</Trans>
              </TextTool>
            </>
          )}
        </PictureTools>
      )}
    </div>
  )
}

type Picture = ReturnType<typeof usePicture>

function usePictureKeys(picture: Picture) {
  useViewerKeys((event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return false
    const commands: Record<string, () => void> = {
      '+': () => picture.zoom(1.25),
      '=': () => picture.zoom(1.25),
      '-': () => picture.zoom(0.8),
      '0': picture.fit,
      '1': () => picture.zoomTo(1),
      R: picture.turn,
    }
    const command = commands[keyLetter(event)]
    command?.()
    // While zoomed in, arrows move the picture and do not turn to the next.
    return command !== undefined || (!picture.fitted && picture.panByKey(event.key))
  })
}

interface PictureToolsProps {
  picture: Picture
  percent: number | null
  children: ReactNode
}

function PictureTools({ picture, percent, children }: PictureToolsProps) {
  const { t } = useLingui()
  return (
    <Tools label={t`Picture`}>
      <Tool icon={ZoomOut} label={t`Zoom out`} onClick={() => picture.zoom(0.8)} />
      <output className="vw-percent num nowrap fs-md" aria-label={t`Zoom`}>
        {percent === null ? '' : t`${percent}%`}
      </output>
      <Tool icon={ZoomIn} label={t`Zoom in`} onClick={() => picture.zoom(1.25)} />
      <ToolGap />
      <Tool icon={Scan} label={t`Fit to window`} pressed={picture.fitted} onClick={picture.fit} />
      <TextTool
        className="not-phone"
        label={t`Actual size`}
        pressed={percent === 100}
        onClick={() => picture.zoomTo(1)}
      >
        1:1
      </TextTool>
      <Tool icon={RotateCw} label={t`Rotate`} onClick={picture.turn} />
      {children}
    </Tools>
  )
}
