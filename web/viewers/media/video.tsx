import { Trans, useLingui } from '@lingui/react/macro'
import { AudioLines, Play } from 'lucide-react'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { formatDimensions, formatDuration } from '../../lib/format.ts'
import { nameOf } from '../../lib/paths.ts'
import { ChoiceMenu } from '../../ui/menu.tsx'
import { ElementMessage } from '../frame/element-message.tsx'
import type { ViewerProps } from '../frame/source.ts'
import { Busy } from '../frame/tools.tsx'
import { Player } from './player.tsx'
import { useMedia } from './use-media.ts'

const DOUBLE_TAP_MS = 300
const TAP_SEEK_S = 10

export function VideoViewer(props: ViewerProps) {
  const { source, entry, setFacts } = props
  const { t } = useLingui()
  const film = useRef<HTMLVideoElement>(null)
  const lastTap = useRef(0)
  const media = useMedia(film, props, () => {})
  const tracks = useMemo(() => subtitleTracks(props), [props])
  const [track, setTrack] = useState<string | null>(tracks[0]?.id ?? null)

  useEffect(() => {
    for (const candidate of film.current?.textTracks ?? []) {
      candidate.mode = candidate.id === track ? 'showing' : 'disabled'
    }
  }, [track])

  useEffect(() => {
    const { videoWidth: width = 0, videoHeight: height = 0 } = film.current ?? {}
    if (!Number.isFinite(media.duration)) return
    const length = formatDuration(media.duration)
    setFacts(width > 0 ? `${formatDimensions({ width, height })} · ${length}` : length)
  }, [media.duration, setFacts])

  if (media.failed) {
    return (
      <ElementMessage
        source={source}
        entry={entry}
        lost={media.lost}
        title={t`This video can’t be played`}
      >
        <Trans>Your browser doesn’t support this format, or the file is damaged.</Trans>
      </ElementMessage>
    )
  }

  function onTap(event: React.PointerEvent<HTMLVideoElement>) {
    const player = film.current
    // The other buttons of a mouse open a menu or a tab.
    if (!player || event.button !== 0) return
    if (event.pointerType !== 'touch') {
      // A refusal shows as a film that stays still.
      if (player.paused) player.play().catch(() => {})
      else player.pause()
      return
    }
    const doubled = event.timeStamp - lastTap.current < DOUBLE_TAP_MS
    lastTap.current = doubled ? 0 : event.timeStamp
    if (!doubled) return
    const box = player.getBoundingClientRect()
    player.currentTime += event.clientX < box.left + box.width / 2 ? -TAP_SEEK_S : TAP_SEEK_S
  }

  return (
    <div className="vw-video center covers" data-running={media.playing}>
      {/* biome-ignore lint/a11y/useMediaCaption: captions are added when the file has some */}
      <video
        ref={film}
        src={source.rawUrl(entry, { inline: true })}
        preload="metadata"
        playsInline
        onPointerUp={onTap}
      >
        {tracks.map(({ id, label, src }) => (
          <track key={id} id={id} kind="subtitles" label={label} src={src} default={id === track} />
        ))}
      </video>
      {media.waiting && <Busy />}
      {!media.playing && media.time === 0 && Number.isFinite(media.duration) && (
        <button
          type="button"
          className="vw-bigplay center relative"
          aria-label={t`Play`}
          onClick={() => film.current?.play().catch(() => {})}
        >
          <Play className="i i-lg" aria-hidden />
        </button>
      )}
      <Player
        element={film}
        media={media}
        tracks={tracks}
        track={track}
        chooseTrack={setTrack}
        pictureInPicture
      >
        <SoundTracks film={film} durationS={media.duration} />
      </Player>
    </div>
  )
}

function subtitleTracks({ source, entry }: Pick<ViewerProps, 'source' | 'entry'>) {
  return (entry.subtitles ?? []).flatMap((path) => {
    const src = source.subtitleUrl(path)
    const label = nameOf(path).replace(/\.[^.]+$/, '')
    return src === null ? [] : [{ id: path, label, src }]
  })
}

/** https://html.spec.whatwg.org/multipage/media.html#audiotrack */
interface AudioTrack {
  id: string
  label: string
  /** Such as `de` or, in files of old, `ger`; '' when unknown. */
  language: string
  enabled: boolean
}

type WithTracks = HTMLVideoElement & { audioTracks?: ArrayLike<AudioTrack> & EventTarget }

interface SoundTracksProps {
  film: RefObject<HTMLVideoElement | null>
  /** Of the film, NaN until its tracks are known. */
  durationS: number
}

/** Nothing where there is nothing to choose. */
function SoundTracks({ film, durationS }: SoundTracksProps) {
  const { t, i18n } = useLingui()
  const [tracks, setTracks] = useState<readonly AudioTrack[]>([])

  // biome-ignore lint/correctness/useExhaustiveDependencies: with its length a film has its tracks
  useEffect(() => {
    const list = (film.current as WithTracks | null)?.audioTracks
    if (list === undefined) return
    const read = () => setTracks(Array.from(list))
    read()
    const events = ['addtrack', 'removetrack', 'change']
    for (const name of events) list.addEventListener(name, read)
    return () => {
      for (const name of events) list.removeEventListener(name, read)
    }
  }, [film, durationS])

  if (tracks.length < 2) return null
  return (
    <ChoiceMenu
      icon={AudioLines}
      label={t`Audio track`}
      choices={tracks.map((track, index) => ({
        id: track,
        label: trackName(track, i18n.locale) || String(index + 1),
      }))}
      chosen={tracks.find(({ enabled }) => enabled)}
      onChoose={(chosen) => {
        // All that are on would sound at once.
        for (const track of tracks) track.enabled = track === chosen
      }}
    />
  )
}

function trackName({ label, language }: AudioTrack, locale: string): string {
  if (label !== '' || language === '' || language === 'und') return label
  try {
    return new Intl.DisplayNames([locale], { type: 'language' }).of(language) ?? language
  } catch {
    return language // a RangeError: what the file says is no language tag
  }
}
