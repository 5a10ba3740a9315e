// Work that the server goes on with by itself: what it tells of it, and steering it.

import type { Job, JobPage, JobState } from '../../src/job-types.ts'
import { call, callJson, lostConnection } from './client.ts'

export type JobAction = 'pause' | 'resume' | 'cancel' | 'retry'

/** The newest first; `all` are those of everybody, for administrators. */
export async function listJobs(
  states: readonly JobState[],
  all: boolean,
  signal?: AbortSignal,
): Promise<Job[]> {
  const query = { state: states.join(','), all: all || undefined }
  return (await callJson<JobPage>('/jobs', { query, signal })).items
}

/** With `waitSeconds` when it has ended, or then. */
export async function getJob(id: string, waitSeconds?: number): Promise<Job> {
  return callJson(`/jobs/${id}`, { query: { wait: waitSeconds } })
}

/** `password` is that of an archive. @throws ApiError 409 when its state does not allow it. */
export async function actOnJob(id: string, action: JobAction, password?: string): Promise<Job> {
  const json = password === undefined ? undefined : { password }
  return callJson(`/jobs/${id}/${action}`, { method: 'POST', json })
}

/** Forgets one that has ended. */
export async function forgetJob(id: string): Promise<void> {
  await call(`/jobs/${id}`, { method: 'DELETE' })
}

/**
 * What changes from now on; first those that have not ended. `onOpen` hears when the server listens. Ends when
 * the server stops, or the session does.
 *
 * @throws ApiError for a refusal, and with status 0 when the connection breaks.
 */
export async function* watchJobs(
  all: boolean,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<Job> {
  const { body } = await call('/events', { query: { all: all || undefined }, signal })
  if (body === null) return
  onOpen()
  try {
    yield* readEvents(body)
  } catch (error) {
    throw lostConnection(error)
  }
}

/** The jobs in a stream of server-sent events, each in the data of one. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Job> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    text += decoder.decode(value, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6)) as Job
  }
}
