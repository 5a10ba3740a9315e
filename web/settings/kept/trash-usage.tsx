// How much is kept of everybody, in the trash and as versions, by account and by disk, for administrators.

import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { type ReactNode, useEffect } from 'react'
import type { KeptSum, TrashUsage } from '../../../src/keep-types.ts'
import { trashUsage } from '../../api/trash.ts'
import { formatSize } from '../../lib/format.ts'
import { WhenLoaded } from '../parts.tsx'
import { useLoad } from '../use-load.ts'

/** Another `turn`: something has come or gone since. */
export function UsageOfAll({ turn }: { turn: number }) {
  const loaded = useLoad('trash usage', trashUsage)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the turn is the trigger
  useEffect(() => {
    if (turn > 0) loaded.reload()
  }, [turn])
  return <WhenLoaded loaded={loaded}>{(usage) => <Usage usage={usage} />}</WhenLoaded>
}

function Usage({ usage: { accounts, disks } }: { usage: TrashUsage }) {
  const { t } = useLingui()
  return (
    <div className="trash__usage">
      <Sums name={t`Account`}>
        {accounts.map(({ by, ...sum }) => (
          <Sum key={by} name={by ?? <Trans>Unknown</Trans>} sum={sum}>
            {formatSize(sum.bytes + sum.versionBytes)}
          </Sum>
        ))}
      </Sums>
      <Sums name={t`Folder`}>
        {disks.map(({ path, totalBytes, ...sum }) => {
          const used = formatSize(sum.bytes + sum.versionBytes)
          const total = formatSize(totalBytes)
          return (
            <Sum key={path} name={<span dir="ltr">{path}</span>} sum={sum}>
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

function Sum(props: { name: ReactNode; sum: KeptSum; children: ReactNode }) {
  const { items: count, versions } = props.sum
  return (
    <tr>
      <td className="trash__place">
        <bdi>{props.name}</bdi>
      </td>
      <td className="mid num">
        {props.children}
        <small className="trash__who">
          <Plural value={count} one="# item" other="# items" />
          {versions > 0 && (
            <>
              {' · '}
              <Plural value={versions} one="# version" other="# versions" />
            </>
          )}
        </small>
      </td>
    </tr>
  )
}
