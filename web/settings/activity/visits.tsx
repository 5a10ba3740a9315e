// What visitors of one link did, for whoever made it.

import { Activity } from './activity-table.tsx'

export function VisitsPage({ hash }: { hash: string }) {
  return <Activity filter={{ share: hash }} />
}
