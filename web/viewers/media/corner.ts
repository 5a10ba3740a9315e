// What plays in a viewer that is closed goes on in a corner of the page: one at a time, until somebody closes it,
// plays something else or signs out.

import type { FileEntry } from '../../../src/api-types.ts'
import { kindOf } from '../frame/kinds.ts'
import type { FileSource } from '../frame/source.ts'
import { resumeSession } from './use-media.ts'

interface Given {
  source: FileSource
  entry: FileEntry
  siblings: readonly FileEntry[]
}

const corner: { playing: { path: string; end(): void } | null } = { playing: null }

const playerOf = () =>
  document.querySelector<HTMLMediaElement>('#previewer :is(.vw-video > video, .vw-audio > audio)')

/** Call when the viewer is about to go, while what it shows is still in the page. */
export function keepPlaying({ source, entry, siblings }: Given): void {
  const element = playerOf()
  if (element === null || element.paused || element.ended || element.error !== null) return
  corner.playing?.end()
  const host = document.createElement('div')
  host.className = 'corner'
  // Its styles come with what is drawn around it.
  host.style.visibility = 'hidden'
  host.style.position = 'fixed'
  document.body.append(host)
  carry(element, host)
  const leaving = new AbortController()
  const playing = {
    path: entry.path,
    end() {
      if (corner.playing === playing) corner.playing = null
      leaving.abort()
      element.pause()
      host.remove()
    },
  }
  corner.playing = playing
  const onPlay = ({ target }: Event) => {
    if (target !== element) playing.end()
  }
  document.addEventListener('play', onPlay, { capture: true, signal: leaving.signal })
  const songs = element instanceof HTMLAudioElement ? siblings.filter(isSong) : []
  const follow = ({ path }: FileEntry) => {
    playing.path = path
  }
  const given = { element, source, entry, songs, follow, end: playing.end }
  import('./corner-view.tsx').then(
    ({ drawCorner }) => drawCorner(host, given, leaving.signal),
    () => playing.end(),
  )
}

const isSong = (entry: FileEntry) => kindOf(entry) === 'audio'

/** A file that plays in the corner goes on in the viewer that is opened for it. */
export function takeFromCorner(path: string): void {
  if (corner.playing?.path !== path) return
  resumeSession()
  corner.playing.end()
}

/** What is shown is about to be deleted: nothing of it is to go on. */
export function stopPlaying(): void {
  playerOf()?.pause()
}

/** Browsers stop what is taken out of the page; those that can move it in one step do not. */
function carry(element: HTMLMediaElement, host: HTMLElement & MovesBefore): void {
  if (host.moveBefore !== undefined) {
    host.moveBefore(element, null)
    return
  }
  host.append(element)
  // Refused where the browser wants a click; the button of the corner is there for that.
  element.play().catch(() => {})
}

/** https://dom.spec.whatwg.org/#dom-parentnode-movebefore */
interface MovesBefore {
  moveBefore?(node: Node, child: Node | null): void
}
