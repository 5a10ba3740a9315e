// The strip of neighbours below the stage. Only those near the shown file exist in the page, so that
// a folder with a hundred thousand pictures costs no more than one with ten.

import { useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'
import type { FileEntry } from '../../../src/api-types.ts'
import { FileTile } from '../../ui/file-icon.tsx'
import { type FileSource, thumbnailUrl } from './source.ts'

const EACH_SIDE = 16

interface FilmProps {
  source: FileSource
  entry: FileEntry
  siblings: readonly FileEntry[]
  navigate(entry: FileEntry): void
}

export function Film({ source, entry, siblings, navigate }: FilmProps) {
  const { t } = useLingui()
  const strip = useRef<HTMLElement>(null)
  const at = siblings.findIndex((sibling) => sibling.path === entry.path)
  const shown = siblings.slice(Math.max(0, at - EACH_SIDE), at + EACH_SIDE + 1)

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each shown file
  useEffect(() => {
    const frame = strip.current
    const current = frame?.querySelector<HTMLElement>('[aria-current=true]')
    if (!frame || !current) return
    const middle = current.offsetLeft + current.offsetWidth / 2
    frame.scrollTo({ left: middle - frame.clientWidth / 2, behavior: 'smooth' })
  }, [entry.path, siblings])

  return (
    <nav className="vw-film" aria-label={t`Files in this folder`} ref={strip} data-gestures="own">
      {shown.map((sibling) => (
        <button
          type="button"
          key={sibling.path}
          className="vw-frame rigid"
          data-tip={sibling.name}
          aria-label={sibling.name}
          aria-current={sibling.path === entry.path}
          tabIndex={sibling.path === entry.path ? 0 : -1}
          onClick={() => navigate(sibling)}
        >
          <Frame source={source} entry={sibling} />
        </button>
      ))}
    </nav>
  )
}

function Frame({ source, entry }: { source: FileSource; entry: FileEntry }) {
  const url = thumbnailUrl(source, entry)
  const mayLoad = useTurn(url)
  return <FileTile entry={entry} thumbnail={mayLoad ? url : undefined} />
}

/** True once the picture at `url` was fetched or may be: never many at once, and never first. */
function useTurn(url: string | undefined): boolean {
  const [turn, setTurn] = useState<string | null>(null)
  useEffect(() => {
    if (url === undefined) return
    return loadAside(url, () => setTurn(url))
  }, [url])
  return url !== undefined && (turn === url || fetched.has(url))
}

const MAX_IN_FLIGHT = 2
/** The file on the stage asks first. */
const HEAD_START_MS = 300
const MAX_REMEMBERED = 2000

interface Waiting {
  url: string
  done(): void
}

/** Addresses that were loaded before and are in the browser's cache. */
const fetched = new Set<string>()
const waiting: Waiting[] = []
let inFlight = 0

/** Fetches a picture when its turn comes and calls `done`; the result gives the turn up. */
function loadAside(url: string, done: () => void): () => void {
  const ticket = { url, done }
  waiting.push(ticket)
  setTimeout(pump, HEAD_START_MS)
  return () => {
    const at = waiting.indexOf(ticket)
    if (at >= 0) waiting.splice(at, 1)
  }
}

function pump() {
  while (inFlight < MAX_IN_FLIGHT) {
    const next = waiting.shift()
    if (!next) return
    inFlight++
    const image = new Image()
    image.fetchPriority = 'low'
    const settle = (good: boolean) => {
      inFlight--
      if (fetched.size >= MAX_REMEMBERED) fetched.clear()
      if (good) {
        fetched.add(next.url)
        next.done()
      }
      pump()
    }
    image.onload = () => settle(true)
    image.onerror = () => settle(false)
    image.src = next.url
  }
}
