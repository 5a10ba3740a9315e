// Films: streamed by the browser itself, with subtitles from the server.

import { Trans, useLingui } from '@lingui/react/macro'
import { Play } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { formatDuration } from '../../lib/format.ts'
import { nameOf } from '../../lib/paths.ts'
import { ElementMessage } from '../frame/element-message.tsx'
import type { ViewerProps } from '../frame/source.ts'
import { Busy } from '../frame/tools.tsx'
import { Player } from './player.tsx'
import { SoundTracks } from './sound-tracks.tsx'
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
    setFacts(width > 0 ? t`${width} × ${height} · ${length}` : length)
  }, [media.duration, setFacts, t])

  if (media.failed) {
    return (
      <ElementMessage
        source={source}
        entry={entry}
        lost={media.lost}
        title={t`This video can’t be played`}
      >
        <Trans>Your browser doesn’t know its format, or the file is damaged.</Trans>
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
    <div className="vw-video center covers">
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
