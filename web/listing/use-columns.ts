import { useSnapshot } from 'valtio'
import { NARROW, useMedia } from '../lib/page/media.ts'
import { prefs } from '../state/prefs.ts'
import { useListing } from './use-listing.ts'

/** Whether folders are shown in columns: chosen in this browser, and there is room for them; hits of a search are no folder. */
export function useColumnView(): boolean {
  const { columns } = useSnapshot(prefs)
  const { folder } = useListing().shown
  return !useMedia(NARROW) && columns && !folder?.search
}
