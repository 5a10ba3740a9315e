// The control bar of films and songs: own controls, so that they look and work alike in every
// browser, with names, keys and sliders that a screen reader understands.

import { useLingui } from '@lingui/react/macro'
import {
  Captions,
  Gauge,
  Pause,
  PictureInPicture2,
  Play,
  RotateCcw,
  RotateCw,
  Volume1,
  Volume2,
  VolumeX,
} from 'lucide-react'
import { type ReactNode, type RefObject, useState } from 'react'
import { formatDuration } from '../../lib/format.ts'
import { keyLetter } from '../../lib/page/keys.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { shownKeys } from '../../operations/commands/shortcut.ts'
import { IconButton } from '../../ui/button.tsx'
import { ChoiceMenu } from '../../ui/menu.tsx'
import { useViewerKeys } from '../frame/viewer-keys.ts'
import mediaStyles from './media.css?url'
import type { Media } from './use-media.ts'

await loadStylesheet(mediaStyles)

const speeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3]

interface TextTrackChoice {
  id: string
  label: string
}

interface PlayerProps {
  element: RefObject<HTMLMediaElement | null>
  media: Media
  tracks?: readonly TextTrackChoice[]
  /** Id of the shown subtitles; null when off. */
  track?: string | null
  chooseTrack?(id: string | null): void
  /** Picture in picture, where there is a picture and a browser that can. */
  pictureInPicture?: boolean
  children?: ReactNode
}

export function Player({ element, media, tracks = [], track, chooseTrack, ...rest }: PlayerProps) {
  const { t } = useLingui()

  const controls = playerControls(element)
  const { toggle, seek, step, togglePicture } = controls
  useViewerKeys((event) => {
    const command = commandOf(event, controls, nextTrack)
    command?.()
    return command !== undefined
  })

  function nextTrack() {
    const at = tracks.findIndex(({ id }) => id === track)
    chooseTrack?.(tracks[at + 1]?.id ?? null)
  }

  return (
    // Media runs from left to right in every language.
    <section className="vw-player vw-glass" dir="ltr" aria-label={t`Player`} data-gestures="own">
      <Scrubber media={media} seek={seek} />
      <div className="vw-player-row row">
        <IconButton
          icon={media.playing ? Pause : Play}
          label={media.playing ? t`Pause` : t`Play`}
          shortcut={shownKeys(' ')}
          onClick={toggle}
        />
        <IconButton
          className="not-phone"
          icon={RotateCcw}
          label={t`Back 10 seconds`}
          shortcut="J"
          onClick={() => step(-10)}
        />
        <IconButton
          className="not-phone"
          icon={RotateCw}
          label={t`Forward 10 seconds`}
          shortcut="L"
          onClick={() => step(10)}
        />
        <span className="vw-time num nowrap fs-md" dir="ltr">
          {formatDuration(media.time)} / {formatDuration(media.duration)}
        </span>
        <span className="grow" />
        <Volume media={media} controls={controls} />
        <ChoiceMenu
          icon={Gauge}
          label={t`Speed`}
          shortcut="< >"
          choices={speeds.map((speed) => ({ id: speed, label: `${speed}×` }))}
          chosen={media.rate}
          onChoose={controls.setRate}
        />
        {tracks.length > 0 && chooseTrack && (
          <ChoiceMenu
            icon={Captions}
            label={t`Subtitles`}
            shortcut="C"
            choices={[{ id: null, label: t({ message: 'Off', context: 'subtitles' }) }, ...tracks]}
            chosen={track ?? null}
            onChoose={chooseTrack}
          />
        )}
        {rest.pictureInPicture && document.pictureInPictureEnabled && (
          <IconButton
            icon={PictureInPicture2}
            label={t`Picture in picture`}
            shortcut="P"
            onClick={togglePicture}
          />
        )}
        {rest.children}
      </div>
    </section>
  )
}

type Controls = ReturnType<typeof playerControls>

/** All read the element itself: what is on the screen follows it a moment later, and keys come faster. */
function playerControls(element: RefObject<HTMLMediaElement | null>) {
  function toggle() {
    const player = element.current
    if (!player) return
    // A refusal shows as a button that stays on "Play".
    if (player.paused) player.play().catch(() => {})
    else player.pause()
  }
  function seek(to: number) {
    const player = element.current
    if (player && Number.isFinite(player.duration)) {
      player.currentTime = Math.min(player.duration, Math.max(0, to))
    }
  }
  function step(byS: number) {
    if (element.current) seek(element.current.currentTime + byS)
  }
  function seekToPart(part: number) {
    if (element.current) seek(element.current.duration * part)
  }
  function setVolume(volume: number) {
    const player = element.current
    if (!player) return
    player.volume = Math.min(1, Math.max(0, volume))
    player.muted = false
  }
  function stepVolume(by: number) {
    if (element.current) setVolume(element.current.volume + by)
  }
  function setRate(rate: number) {
    if (element.current) element.current.playbackRate = rate
  }
  function stepRate(by: 1 | -1) {
    const player = element.current
    if (player) setRate(speeds[speeds.indexOf(player.playbackRate) + by] ?? player.playbackRate)
  }
  function togglePicture() {
    const film = element.current
    if (!(film instanceof HTMLVideoElement)) return
    const change = document.pictureInPictureElement
      ? document.exitPictureInPicture()
      : film.requestPictureInPicture()
    // Refused by the browser or the person; the film goes on where it is.
    Promise.resolve(change).catch(() => {})
  }
  function toggleMuted() {
    if (element.current) element.current.muted = !element.current.muted
  }
  return {
    toggle,
    seek,
    step,
    seekToPart,
    setVolume,
    stepVolume,
    setRate,
    stepRate,
    togglePicture,
    toggleMuted,
  }
}

/** What a key does; nothing where it belongs to the slider or button with the focus. */
function commandOf(
  event: KeyboardEvent,
  controls: Controls,
  nextTrack: () => void,
): (() => void) | undefined {
  const { toggle, seek, step, seekToPart, stepVolume, stepRate, togglePicture, toggleMuted } =
    controls
  const { target, key } = event
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.shiftKey && key !== '<' && key !== '>') return
  if (target instanceof HTMLButtonElement && (key === ' ' || key === 'Enter')) return
  const commands: Record<string, () => void> = {
    ' ': toggle,
    k: toggle,
    arrowleft: () => step(-5),
    arrowright: () => step(5),
    j: () => step(-10),
    l: () => step(10),
    arrowup: () => stepVolume(0.1),
    arrowdown: () => stepVolume(-0.1),
    m: toggleMuted,
    c: nextTrack,
    p: togglePicture,
    '<': () => stepRate(-1),
    '>': () => stepRate(1),
    home: () => seek(0),
    end: () => seekToPart(1),
  }
  for (let digit = 0; digit <= 9; digit++) commands[digit] = () => seekToPart(digit / 10)
  return commands[keyLetter(event).toLowerCase()]
}

function Volume({ media, controls }: { media: Media; controls: Controls }) {
  const { t } = useLingui()
  const volume = media.muted ? 0 : media.volume
  return (
    <span className="vw-volume">
      <IconButton
        icon={volume === 0 ? VolumeX : volume < 0.5 ? Volume1 : Volume2}
        label={media.muted ? t`Unmute` : t`Mute`}
        shortcut="M"
        onClick={controls.toggleMuted}
      />
      <input
        type="range"
        className="vw-range"
        min={0}
        max={1}
        step={0.05}
        value={volume}
        style={{ '--vw-done': `${volume * 100}%` } as React.CSSProperties}
        aria-label={t`Volume`}
        onChange={(event) => controls.setVolume(Number(event.currentTarget.value))}
      />
    </span>
  )
}

function Scrubber({ media, seek }: { media: Media; seek(to: number): void }) {
  const { t } = useLingui()
  // While dragging, the thumb follows the finger and not the film.
  const [dragged, setDragged] = useState<number | null>(null)
  const known = Number.isFinite(media.duration) && media.duration > 0
  const shown = dragged ?? media.time
  const done = known ? (shown / media.duration) * 100 : 0
  const loaded = known ? (media.bufferedUntil / media.duration) * 100 : 0
  return (
    <input
      type="range"
      className="vw-range vw-scrubber"
      min={0}
      max={known ? media.duration : 1}
      step="any"
      value={known ? shown : 0}
      disabled={!known}
      style={{ '--vw-done': `${done}%`, '--vw-loaded': `${loaded}%` } as React.CSSProperties}
      aria-label={t`Position`}
      aria-valuetext={`${formatDuration(shown)} / ${formatDuration(media.duration)}`}
      onChange={(event) => {
        setDragged(Number(event.currentTarget.value))
        seek(Number(event.currentTarget.value))
      }}
      onPointerUp={() => setDragged(null)}
      onKeyUp={() => setDragged(null)}
      onBlur={() => setDragged(null)}
    />
  )
}
