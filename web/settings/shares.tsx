// All links one has given away; administrators see everybody's.

import { t } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Copy, ExternalLink, Eye, Lock, Trash2 } from 'lucide-react'
import { useSnapshot } from 'valtio'
import type { ShareRecord, UserRecord } from '../../src/api-types.ts'
import { deleteShare, listShares, sharePageUrl } from '../api/shares.ts'
import { listUsers } from '../api/users.ts'
import { useMinute } from '../lib/clock.ts'
import { formatEnd, formatMoment } from '../lib/format.ts'
import { go } from '../lib/page/navigate.ts'
import { nameOf, trimPath } from '../lib/paths.ts'
import { copyLink } from '../operations/copy-text.ts'
import { openPrompt } from '../operations/prompts.ts'
import { toastError, toastSuccess } from '../operations/toasts.ts'
import { permissions, session } from '../state/session.ts'
import { Badge } from '../ui/badge.tsx'
import { IconButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty.tsx'
import { FileTile } from '../ui/file-icon.tsx'
import { PathText } from '../ui/path-text.tsx'
import { WhenLoaded } from './parts.tsx'
import { ActionsHead, StackTable } from './stack-table.tsx'
import { useLoad } from './use-load.ts'

interface Loaded {
  shares: ShareRecord[]
  /** Empty for those who may not list accounts. */
  users: UserRecord[]
}

async function load(signal: AbortSignal): Promise<Loaded> {
  const [shares, users] = await Promise.all([
    listShares(signal),
    permissions().admin ? listUsers(signal) : [],
  ])
  return { shares, users }
}

export function SharesPage() {
  const loaded = useLoad('shares', load)
  return (
    <WhenLoaded loaded={loaded}>
      {(data) => <ShareTable {...data} onChange={loaded.reload} />}
    </WhenLoaded>
  )
}

export function ShareTable({ shares, users, onChange }: Loaded & { onChange: () => void }) {
  const { t } = useLingui()
  const { user } = useSnapshot(session)
  const admin = user?.perm.admin === true

  if (shares.length === 0) {
    return (
      <EmptyState art="link" title={<Trans>No shared links yet</Trans>}>
        <Trans>To share a file or folder, open its menu. Its link will appear here.</Trans>
      </EmptyState>
    )
  }

  async function remove(share: ShareRecord) {
    if (!(await isConfirmed(share))) return
    try {
      await deleteShare(share.hash)
      toastSuccess(t`Link deleted`)
    } catch (error) {
      toastError(error)
    }
    onChange()
  }

  function ownerOf(share: ShareRecord): string {
    if (share.userID === user?.id) return user.username
    return users.find((each) => each.id === share.userID)?.username ?? t`Deleted user`
  }

  return (
    <StackTable
      heads={
        <>
          <th>{t`Path`}</th>
          <th>{t`Expires`}</th>
          {admin && <th>{t`Owner`}</th>}
          <ActionsHead />
        </>
      }
    >
      {shares.map((share) => (
        <tr key={share.hash}>
          <td className="tbl__long">
            <SharedPath share={share} />
          </td>
          <td className="mid" data-label={share.ended ? undefined : t`Expires`}>
            <Life share={share} />
          </td>
          {admin && (
            <td className="mid" data-label={t`Owner`}>
              <bdi>{ownerOf(share)}</bdi>
            </td>
          )}
          <td className="tbl__acts nowrap">
            <IconButton
              size="sm"
              icon={Eye}
              label={t`Visits`}
              onClick={() => void go(`/settings/shares/${share.hash}`)}
            />
            {!share.ended && (
              <IconButton
                size="sm"
                icon={Copy}
                label={t`Copy link`}
                onClick={() => void copyLink(sharePageUrl(share.hash))}
              />
            )}
            <IconButton
              size="sm"
              tone="danger"
              icon={Trash2}
              label={t`Delete link`}
              onClick={() => remove(share)}
            />
          </td>
        </tr>
      ))}
    </StackTable>
  )
}

async function isConfirmed(share: ShareRecord): Promise<boolean> {
  // Nobody can open it any more.
  if (share.ended) return true
  const name = nameOf(trimPath(share.path)) || t`My files`
  const answer = await openPrompt('confirm', {
    title: t`Delete this link?`,
    text: t`This link to “${name}” will stop working. Your files won’t be deleted.`,
    answers: [{ id: 'delete', label: t`Delete link`, tone: 'danger' }],
  })
  return answer === 'delete'
}

/** What the link opens; no link itself once there is nothing left to open. */
function SharedPath({ share }: { share: ShareRecord }) {
  const { t } = useLingui()
  const path = trimPath(share.path)
  const isDir = share.path.endsWith('/')
  const words = (
    <>
      <FileTile
        entry={{ name: nameOf(path), isDir, ...(share.ended && { type: 'invalid_link' }) }}
      />
      <PathText path={path} />
      {!share.ended && <ExternalLink className="i i-xs dim" aria-label={t`opens in a new tab`} />}
      {share.hasPassword && (
        <Badge icon={Lock}>
          <Trans>Password</Trans>
        </Badge>
      )}
    </>
  )
  if (share.ended) return <span className="tbl__main row dim">{words}</span>
  return (
    <a className="tbl__main row" href={sharePageUrl(share.hash)} target="_blank" rel="noreferrer">
      {words}
    </a>
  )
}

function Life({ share }: { share: ShareRecord }) {
  const nowMs = useMinute()
  if (share.ended)
    return (
      <span className="tbl__words">
        <Trans>Ended: the shared item no longer exists</Trans>
      </span>
    )
  if (share.expire === 0) return <Trans>Never</Trans>
  const endsMs = share.expire * 1000
  return <span data-tip={formatMoment(endsMs)}>{formatEnd(endsMs, nowMs)}</span>
}
