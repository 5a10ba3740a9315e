// The pages of groups, with what they look like: nobody but administrators loads them.

import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import styles from './access.css?url'
import { GroupPage } from './group.tsx'
import { GroupsPage } from './groups.tsx'

await loadStylesheet(styles)

interface AccessPageProps {
  /** The one that is shown, or none for the list. */
  id: string | undefined
  onName: (name: string) => void
}

export function AccessPage({ id, onName }: AccessPageProps) {
  return id ? <GroupPage id={id} onName={onName} /> : <GroupsPage />
}
