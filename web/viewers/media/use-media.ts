// A media element as React state, with what is remembered between files: volume, speed, position.

import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react'
import { storage } from '../../lib/storage.ts'
import { recallPosition, rememberPosition } from '../frame/positions.ts'
import type { ViewerProps } from '../frame/source.ts'

const SOUND_KEY = 'fb-sound'
/** Positions this close to either end are not worth coming back to. */
const EDGE_S = 8
const SAVE_EVERY_S = 5

export interface Media {
  playing: boolean
  waiting: boolean
  failed: boolean
  /** It failed because its bytes stopped coming, not because of what they are. */
  lost: boolean
  /** Seconds. */
  time: number
  duration: number
  bufferedUntil: number
  volume: number
  muted: boolean
  rate: number
}

const initial: Media = {
  playing: false,
  waiting: false,
  failed: false,
  lost: false,
  time: 0,
  duration: Number.NaN,
  bufferedUntil: 0,
  volume: 1,
  muted: false,
  rate: 1,
}

/** Once somebody has pressed play, the files they turn to afterwards start by themselves. */
let started = false

interface Sound {
  volume: number
  muted: boolean
  rate: number
}

function loadSound(): Sound {
  const stored = (storage.getJson(SOUND_KEY) ?? {}) as Partial<Sound>
  const { volume = 1, muted = false, rate = 1 } = stored
  return { volume: Number(volume), muted: muted === true, rate: Number(rate) }
}

function applySound(element: HTMLMediaElement): void {
  const { volume, muted, rate } = loadSound()
  Object.assign(element, { volume, muted, defaultPlaybackRate: rate, playbackRate: rate })
}

/** Events after which nothing is to be done but to look again. */
const PLAIN_EVENTS = 'pause playing waiting seeked progress durationchange error emptied'.split(' ')

function stateOf(element: HTMLMediaElement): Media {
  const { buffered } = element
  return {
    playing: !element.paused && !element.ended,
    waiting: element.readyState < HTMLMediaElement.HAVE_FUTURE_DATA && !element.paused,
    failed: element.error !== null,
    lost: element.error?.code === MediaError.MEDIA_ERR_NETWORK,
    time: element.currentTime,
    duration: element.duration,
    bufferedUntil: buffered.length > 0 ? buffered.end(buffered.length - 1) : 0,
    volume: element.volume,
    muted: element.muted,
    rate: element.playbackRate,
  }
}

/** Follows the element inside `ref` while it shows `props.entry`. `onEnded` runs at its end. */
export function useMedia(
  ref: RefObject<HTMLMediaElement | null>,
  props: Pick<ViewerProps, 'source' | 'entry'>,
  onEnded: () => void,
) {
  const { source, entry } = props
  const [media, setMedia] = useState<Media>(initial)
  const ended = useEffectEvent(onEnded)

  // In the same turn as the player is shown: what a key has changed by then is not to be taken back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: starts afresh for each file
  useLayoutEffect(() => {
    if (ref.current) applySound(ref.current)
  }, [source, entry.path, ref])

  // biome-ignore lint/correctness/useExhaustiveDependencies: starts afresh for each file
  useEffect(() => {
    const element = ref.current
    if (!element) return
    let savedAt = 0

    const update = () => setMedia(stateOf(element))
    const save = () => {
      if (!(element.duration > 3 * EDGE_S)) return
      const { currentTime, duration } = element
      const worth = currentTime > EDGE_S && currentTime < duration - EDGE_S
      rememberPosition(source, entry, worth ? Math.round(currentTime) : null)
      savedAt = currentTime
    }
    const onTime = () => {
      update()
      if (Math.abs(element.currentTime - savedAt) > SAVE_EVERY_S) save()
    }
    const onReady = () => {
      const position = recallPosition(source, entry)
      const isThere = Math.abs(element.currentTime - Number(position)) < 1
      if (typeof position === 'number' && !isThere) element.currentTime = position
      // Refused where the browser wants a click first; the play button is there for that.
      if (started) element.play().catch(() => {})
      update()
    }
    const onPlay = () => {
      started = true
      update()
    }
    const onSound = () => {
      const { volume, muted, playbackRate: rate } = element
      storage.set(SOUND_KEY, JSON.stringify({ volume, muted, rate }))
      update()
    }
    const onEnd = () => {
      save()
      update()
      ended()
    }

    const abort = new AbortController()
    const listen = (name: string, listener: () => void) =>
      element.addEventListener(name, listener, { signal: abort.signal })
    listen('loadedmetadata', onReady)
    listen('timeupdate', onTime)
    listen('play', onPlay)
    listen('volumechange', onSound)
    listen('ratechange', onSound)
    listen('ended', onEnd)
    for (const name of PLAIN_EVENTS) listen(name, update)
    addEventListener('pagehide', save, { signal: abort.signal })
    // Loading began when the element was made, which can be well before it is watched.
    update()
    if (element.readyState >= HTMLMediaElement.HAVE_METADATA) onReady()
    return () => {
      save()
      abort.abort()
      // Out of the page it would go on loading, and hold its connection, until it is collected.
      if (element.isConnected) return
      element.removeAttribute('src')
      element.load()
    }
  }, [source, entry.path, ref])

  return media
}

/** What the viewer shows next begins by itself: it was playing. */
export function resumeSession() {
  started = true
}

/** Forgets that playback was started, when the viewer is left for the folder. */
export function endSession() {
  started = false
}
