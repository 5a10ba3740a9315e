// The pages of groups and folders, with what they look like: nobody but administrators loads them.

import { loadStylesheet } from '../../lib/page/stylesheet.ts'
import styles from './access.css?url'
import { FolderPage } from './folder.tsx'
import { FoldersPage } from './folders.tsx'
import { GroupPage } from './group.tsx'
import { GroupsPage } from './groups.tsx'

await loadStylesheet(styles)

export interface AccessPageProps {
  what: 'groups' | 'folders'
  /** The one that is shown, or none for the list. */
  id: string | undefined
  onName: (name: string) => void
}

export function AccessPage({ what, id, onName }: AccessPageProps) {
  if (what === 'groups') return id ? <GroupPage id={id} onName={onName} /> : <GroupsPage />
  return id ? <FolderPage id={id} onName={onName} /> : <FoldersPage />
}
