// What visitors of one link did, for whoever made it.

import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { Activity } from './activity-table.tsx'

interface VisitsPageProps {
  hash: string
  onName: (name: string) => void
}

export function VisitsPage({ hash, onName }: VisitsPageProps) {
  const { t } = useLingui()
  const name = t`Visits`
  useEffect(() => onName(name), [onName, name])
  return <Activity filter={{ share: hash }} />
}
