import { useEffect, useState } from 'react'
import { useSnapshot } from 'valtio'
import { listing } from '../state/listing.ts'

/** By then the line has long been free, and there may be something to say. */
const MOST_MS = 1000

/** False while the page waits for its first folder: what nobody can use yet is not to be loaded before its rows. */
export function useFirstLoadOver(): boolean {
  const { kind } = useSnapshot(listing).phase
  const [isOver, setOver] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the kind is the trigger
  useEffect(() => {
    // Once all of this drawing is mounted: the screen of the files may be, too.
    queueMicrotask(() => {
      const { mounted, phase } = listing
      if (!mounted || phase.kind !== 'loading' || phase.shown.folder !== null) setOver(true)
    })
  }, [kind])
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), MOST_MS)
    return () => clearTimeout(timer)
  }, [])
  return isOver
}
