import { useMemo } from 'react'
import { useSnapshot } from 'valtio'
import { realFolder } from '../lib/paths.ts'
import { clipboard } from '../state/clipboard.ts'
import { listing } from '../state/listing.ts'
import { abilitiesIn, rightsTurn } from '../state/rights.ts'
import { selection } from '../state/selection.ts'
import { session } from '../state/session.ts'

export const useListing = () => useSnapshot(listing).phase
export const useSelection = () => useSnapshot(selection)
export const useClipboard = () => useSnapshot(clipboard)
/** What may be done in the open folder. */
export function useAbilities() {
  useSnapshot(session)
  useSnapshot(rightsTurn)
  return abilitiesIn(realFolder(useListing().vpath))
}
export const useSession = () => useSnapshot(session)

/** How many folders, files and pictures among them the folder drawn has, whatever the filter says. */
export function useCounts(): { folders: number; files: number; pictures: number } {
  const { folder } = useListing().shown
  return useMemo(() => {
    const entries = folder?.entries ?? []
    const folders = entries.filter((entry) => entry.isDir).length
    const pictures = entries.filter((entry) => entry.type === 'image').length
    return { folders, files: entries.length - folders, pictures }
  }, [folder])
}
