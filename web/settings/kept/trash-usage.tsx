// How much everybody has in the trash, by account and by disk, for administrators.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import type { TrashUsage } from '../../../src/keep-types.ts'
import { trashUsage } from '../../api/trash.ts'
import { formatSize } from '../../lib/format.ts'
import { WhenLoaded } from '../parts.tsx'
import { useLoad } from '../use-load.ts'

export function UsageOfAll() {
  const loaded = useLoad('trash usage', trashUsage)
  return <WhenLoaded loaded={loaded}>{(usage) => <Usage usage={usage} />}</WhenLoaded>
}

function Usage({ usage: { accounts, disks } }: { usage: TrashUsage }) {
  const { t } = useLingui()
  return (
    <div className="trash__usage">
      <Sums name={t`Account`}>
        {accounts.map(({ by, items, bytes }) => (
          <Sum key={by} name={by ?? <Trans>Unknown</Trans>} items={items}>
            {formatSize(bytes)}
          </Sum>
        ))}
      </Sums>
      <Sums name={t`Folder`}>
        {disks.map(({ path, items, bytes, totalBytes }) => {
          const used = formatSize(bytes)
          const total = formatSize(totalBytes)
          return (
            <Sum key={path} name={<span dir="ltr">{path}</span>} items={items}>
              {totalBytes > 0 ? (
                <Trans>
                  {used} of {total}
                </Trans>
              ) : (
                used
              )}
            </Sum>
          )
        })}
      </Sums>
    </div>
  )
}

function Sums({ name, children }: { name: string; children: ReactNode }) {
  const { t } = useLingui()
  return (
    <div className="tbl-box">
      <table className="tbl">
        <thead>
          <tr>
            <th>{name}</th>
            <th>{t`Size`}</th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}

function Sum(props: { name: ReactNode; items: number; children: ReactNode }) {
  return (
    <tr>
      <td className="trash__place">
        <bdi>{props.name}</bdi>
      </td>
      <td className="mid num">
        {props.children}
        <small className="trash__who">
          <Plural value={props.items} one="# item" other="# items" />
        </small>
      </td>
    </tr>
  )
}
