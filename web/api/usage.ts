// Space on the file system that holds a folder.

import type { Usage } from '../../src/api-types.ts'
import { encodePath } from '../lib/paths.ts'
import { callJson } from './client.ts'

/** Both figures are 0 when the server cannot tell. */
export async function getUsage(folder: string, signal?: AbortSignal): Promise<Usage> {
  const path = folder.endsWith('/') ? folder : `${folder}/`
  return callJson(`/usage${encodePath(path)}`, { signal })
}
