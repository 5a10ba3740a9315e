// The servers that share the records of this one, where several may.

import { Trans, useLingui } from '@lingui/react/macro'
import { Server } from 'lucide-react'
import type { NodeRecord } from '../../../src/api-types.ts'
import { listNodes } from '../../api/settings.ts'
import { Badge } from '../../ui/badge.tsx'
import { DateText } from '../../ui/date-text.tsx'
import { Section, WhenLoaded } from '../parts.tsx'
import { useLoad } from '../use-load.ts'

export function NodesSection() {
  const { t } = useLingui()
  const nodes = useLoad('nodes', listNodes)
  return (
    <Section
      title={t`Nodes`}
      hint={t`Servers that share these accounts and settings. The leader tidies up for all.`}
    >
      <WhenLoaded loaded={nodes}>
        {(list) => (
          <ul className="devices">
            {list.map((node) => (
              <NodeItem key={node.id} node={node} />
            ))}
          </ul>
        )}
      </WhenLoaded>
    </Section>
  )
}

function NodeItem({ node }: { node: NodeRecord }) {
  return (
    <li className="device">
      <Server className="i i-lg mid" aria-hidden />
      <span className="grow">
        <span className="row">
          <bdi>{node.name}</bdi>
          {node.leader && (
            <Badge tone="accent">
              <Trans>Leader</Trans>
            </Badge>
          )}
          {node.state === 'draining' && (
            <Badge tone="warn">
              <Trans>Stopping</Trans>
            </Badge>
          )}
          {node.state === 'gone' && (
            <Badge tone="danger">
              <Trans>Gone</Trans>
            </Badge>
          )}
        </span>
        <small>
          <bdi>{node.version}</bdi>
          {' · '}
          <Trans>
            Last active: <DateText moment={node.seenAt} />
          </Trans>
        </small>
      </span>
    </li>
  )
}
