import { useSnapshot } from 'valtio'
import { NARROW, useMedia } from '../lib/page/media.ts'
import { prefs } from '../state/prefs.ts'

/** Whether folders are shown in columns: chosen in this browser, and there is room for them. */
export function useColumnView(): boolean {
  const { columns } = useSnapshot(prefs)
  return !useMedia(NARROW) && columns
}
