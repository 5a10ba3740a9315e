// Songs: cover and names from their tags, the folder as a playlist.

import { Trans, useLingui } from '@lingui/react/macro'
import { ListMusic, Music, SkipBack, SkipForward } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { formatDuration } from '../../lib/format.ts'
import { splitName } from '../../lib/paths.ts'
import { IconButton } from '../../ui/button.tsx'
import { ElementMessage } from '../frame/element-message.tsx'
import { kindOf } from '../frame/kinds.ts'
import type { FileSource, ViewerProps } from '../frame/source.ts'
import { useFile } from '../frame/use-file.ts'
import type { AudioTags } from './audio-tags.ts'
import { Player } from './player.tsx'
import { useMedia } from './use-media.ts'

export function AudioViewer(props: ViewerProps) {
  const { source, entry, siblings, navigate, setFacts } = props
  const { t } = useLingui()
  const song = useRef<HTMLAudioElement>(null)
  const songs = siblings.filter((sibling) => kindOf(sibling) === 'audio')
  const at = songs.findIndex(({ path }) => path === entry.path)
  const previous = songs[at - 1]
  const next = at < 0 ? undefined : songs[at + 1]
  const media = useMedia(song, props, () => next && navigate(next))
  const tags = useTags(source, entry)
  const coverUrl = useBlobUrl(tags?.cover ?? null)
  const title = tags?.title || splitName(entry.name).stem
  useMediaSession({ title, tags, coverUrl, previous, next, navigate })

  useEffect(() => {
    setFacts(Number.isFinite(media.duration) ? formatDuration(media.duration) : '')
  }, [media.duration, setFacts])

  return (
    <div className="vw-audio covers scrolls">
      {/* biome-ignore lint/a11y/useMediaCaption: sound files have no captions */}
      <audio ref={song} src={source.rawUrl(entry, { inline: true })} preload="metadata" />
      {media.failed ? (
        <ElementMessage
          source={source}
          entry={entry}
          lost={media.lost}
          title={t`This audio file can’t be played`}
        >
          <Trans>Your browser doesn’t support this format, or the file is damaged.</Trans>
        </ElementMessage>
      ) : (
        <div className="vw-song stack">
          <div className="vw-cover center">
            {coverUrl ? (
              <img src={coverUrl} alt={t`Cover`} />
            ) : (
              <Music aria-hidden strokeWidth={1} />
            )}
          </div>
          <div className="vw-song-names">
            <h2>
              <bdi>{title}</bdi>
            </h2>
            <p>
              <bdi>{[tags?.artist, tags?.album].filter(Boolean).join(' · ')}</bdi>
            </p>
          </div>
          <Player element={song} media={media}>
            {songs.length > 1 && (
              <>
                <IconButton
                  icon={SkipBack}
                  label={t`Previous track`}
                  disabled={!previous}
                  onClick={() => previous && navigate(previous)}
                />
                <IconButton
                  icon={SkipForward}
                  label={t`Next track`}
                  disabled={!next}
                  onClick={() => next && navigate(next)}
                />
              </>
            )}
          </Player>
        </div>
      )}
      {songs.length > 1 && <Playlist songs={songs} entry={entry} navigate={navigate} />}
    </div>
  )
}

/** More rows than this near the shown one are not drawn. */
const EACH_SIDE = 100

interface PlaylistProps {
  songs: readonly FileEntry[]
  entry: FileEntry
  navigate(entry: FileEntry): void
}

function Playlist({ songs, entry, navigate }: PlaylistProps) {
  const list = useRef<HTMLOListElement>(null)
  const at = songs.findIndex(({ path }) => path === entry.path)
  const from = Math.max(0, at - EACH_SIDE)

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each song
  useEffect(() => {
    list.current?.querySelector('[aria-current=true]')?.scrollIntoView({ block: 'nearest' })
  }, [entry.path])

  return (
    <section className="vw-playlist col rigid" data-gestures="own">
      <h3>
        <ListMusic className="i i-sm" aria-hidden />
        <Trans>Playlist</Trans>
      </h3>
      <ol ref={list} start={from + 1}>
        {songs.slice(from, at + EACH_SIDE + 1).map((song, index) => (
          <li key={song.path}>
            <button
              type="button"
              className="vw-item mid"
              aria-current={song.path === entry.path}
              onClick={() => navigate(song)}
            >
              <span className="vw-playlist-number num rigid fs-sm dim">{from + index + 1}</span>
              <bdi className="trunc">{song.name}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}

function useTags(source: FileSource, entry: FileEntry): AudioTags | null {
  const read = useFile(source, entry, async (signal) => {
    const { readAudioTags } = await import('./audio-tags.ts')
    return readAudioTags(source, entry, signal)
  })
  // Of a file that is not reachable nothing but its name is known.
  return read.state === 'ready' ? read.value : null
}

function useBlobUrl(blob: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!blob) return setUrl(null)
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}

interface SessionFacts {
  title: string
  tags: AudioTags | null
  coverUrl: string | null
  previous: FileEntry | undefined
  next: FileEntry | undefined
  navigate(entry: FileEntry): void
}

function useMediaSession({ title, tags, coverUrl, previous, next, navigate }: SessionFacts) {
  useEffect(() => {
    const session = navigator.mediaSession
    if (!session) return
    session.metadata = new MediaMetadata({
      title,
      artist: tags?.artist ?? '',
      album: tags?.album ?? '',
      artwork: coverUrl ? [{ src: coverUrl }] : [],
    })
    session.setActionHandler('previoustrack', previous ? () => navigate(previous) : null)
    session.setActionHandler('nexttrack', next ? () => navigate(next) : null)
    return () => {
      session.metadata = null
      session.setActionHandler('previoustrack', null)
      session.setActionHandler('nexttrack', null)
    }
  }, [title, tags, coverUrl, previous, next, navigate])
}
