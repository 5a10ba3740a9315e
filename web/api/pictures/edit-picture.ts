// A picture saved turned or cropped by the server.

import { encodePath } from '../../lib/paths.ts'
import { call, operationHeader } from '../client.ts'

export interface PictureEdit {
  /** Degrees clockwise: 0, 90, 180 or 270. */
  rotate: number
  /** What stays of the picture as it is shown after that, in pixels; without it all of it. */
  crop?: { left: number; top: number; width: number; height: number }
}

/**
 * Saves it over the picture, as long as that is what `headers` say (If-Match), or as the new file `to`.
 * `operation` names it for Undo.
 *
 * @throws ApiError `precondition_failed` when the picture has changed, `exists`, `unsupported`, `too_large`.
 */
export async function editPicture(
  vpath: string,
  edit: PictureEdit & { to?: string },
  headers: Record<string, string>,
  operation: string,
): Promise<void> {
  await call(`/pictures${encodePath(vpath)}`, {
    method: 'POST',
    json: edit,
    headers: { ...headers, ...operationHeader(operation) },
  })
}
