// The corner in which a film or a song goes on: its picture, its name, and what can be done with it.

import { i18n } from '@lingui/core'
import { I18nProvider, useLingui } from '@lingui/react'
import { useLingui as useWords } from '@lingui/react/macro'
import { Maximize2, Music, Pause, Play, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useSnapshot } from 'valtio'
import type { FileEntry } from '../../../src/api-types.ts'
import { formatDuration } from '../../lib/format.ts'
import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import { splitName } from '../../lib/paths.ts'
import { session } from '../../state/session.ts'
import { IconButton } from '../../ui/button.tsx'
import { showFile } from '../frame/show-file.ts'
import type { FileSource } from '../frame/source.ts'
import cornerStyles from './corner.css?url'
import { resumeSession, useMedia } from './use-media.ts'

interface CornerGiven {
  element: HTMLMediaElement
  source: FileSource
  entry: FileEntry
  /** What comes after a song, with itself; empty for films. */
  songs: readonly FileEntry[]
  /** Told of the song that plays from now on. */
  follow(entry: FileEntry): void
  end(): void
}

/** Draws it in `host`, beside the element that is there, until `signal` aborts. */
export async function drawCorner(
  host: HTMLElement,
  given: CornerGiven,
  signal: AbortSignal,
): Promise<void> {
  await loadStylesheet(cornerStyles)
  if (signal.aborted) return
  host.removeAttribute('style')
  const place = document.createElement('div')
  host.append(place)
  const root = createRoot(place)
  root.render(
    <I18nProvider i18n={i18n}>
      <Corner {...given} />
    </I18nProvider>,
  )
  signal.addEventListener('abort', () => root.unmount(), { once: true })
}

function Corner({ element, source, entry: first, songs, follow, end }: CornerGiven) {
  const { t } = useWords()
  // Names are written anew when the language changes.
  useLingui()
  const player = useRef(element)
  const [entry, setEntry] = useState(first)
  const next = songs[songs.findIndex(({ path }) => path === entry.path) + 1]
  const media = useMedia(player, { source, entry }, () => (next ? setEntry(next) : end()))
  const { state, user } = useSnapshot(session)
  const owner = useRef(user?.id)

  const onFollow = useEffectEvent((song: typeof entry) => {
    follow(song)
    element.src = source.rawUrl(song, { inline: true })
    element.play().catch(() => {})
  })
  useEffect(() => {
    if (entry !== first) onFollow(entry)
  }, [entry, first])

  const isOver = media.failed || state === 'out' || user?.id !== owner.current
  const onOver = useEffectEvent(end)
  useEffect(() => {
    if (isOver) onOver()
  }, [isOver])

  const name = splitName(entry.name).stem
  useEffect(() => {
    const keys = navigator.mediaSession
    if (!keys) return
    keys.metadata = new MediaMetadata({ title: name })
    return () => {
      keys.metadata = null
    }
  }, [name])

  const isFilm = element instanceof HTMLVideoElement
  const done = media.duration > 0 ? media.time / media.duration : 0
  return (
    <section className="corner__bar row" aria-label={t`Player`}>
      <span className="corner__done" style={{ inlineSize: `${done * 100}%` }} aria-hidden />
      {!isFilm && <Music className="i" aria-hidden />}
      <span className="corner__name grow">
        <bdi className="trunc">{name}</bdi>
        <small className="num dim" dir="ltr">
          {formatDuration(media.time)} / {formatDuration(media.duration)}
        </small>
      </span>
      <IconButton
        size="sm"
        icon={media.playing ? Pause : Play}
        label={media.playing ? t`Pause` : t`Play`}
        onClick={() => (element.paused ? element.play().catch(() => {}) : element.pause())}
      />
      <IconButton
        size="sm"
        icon={Maximize2}
        label={t`Open`}
        onClick={() => {
          resumeSession()
          end()
          void showFile(entry.path)
        }}
      />
      <IconButton size="sm" icon={X} label={t`Close`} onClick={end} />
    </section>
  )
}
