import { NO_DETAILS_PANEL } from '../../lib/page/media.ts'
import { prefs, setPref } from '../../state/prefs.ts'
import { openPrompt } from '../prompts.ts'
import type { ActionContext } from './types.ts'

/** Opens or closes the panel beside the listing; where there is no room for it, a dialog. */
export async function toggleDetails({ folder, selected }: ActionContext): Promise<void> {
  if (folder === null) return
  if (matchMedia(NO_DETAILS_PANEL).matches) await openPrompt('info', { folder, entries: selected })
  else setPref('details', !prefs.details)
}
