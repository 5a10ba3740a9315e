// Checksums of a file, each made by the server when asked.

import { Trans, useLingui } from '@lingui/react/macro'
import { Copy } from 'lucide-react'
import { type ChecksumAlgorithm, fetchChecksum } from '../../api/files.ts'
import { useAsked } from '../../lib/page/use-asked.ts'
import { copyWithToast } from '../../operations/copy-text.ts'
import { toastError } from '../../operations/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Fact } from '../../ui/fact.tsx'

const algorithms: readonly { id: ChecksumAlgorithm; name: string }[] = [
  { id: 'sha256', name: 'SHA-256' },
  { id: 'md5', name: 'MD5' },
  { id: 'sha1', name: 'SHA-1' },
  { id: 'sha512', name: 'SHA-512' },
]

export function Checksums({ path }: { path: string }) {
  return (
    <section className="info__sums line-top">
      <h4>
        <Trans>Checksums</Trans>
      </h4>
      <dl className="kv fs-md stack">
        {algorithms.map(({ id, name }) => (
          <Fact key={id} label={name}>
            <Checksum path={path} algorithm={id} />
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function Checksum({ path, algorithm }: { path: string; algorithm: ChecksumAlgorithm }) {
  const { t } = useLingui()
  const sum = useAsked((signal) => fetchChecksum(path, algorithm, signal), toastError)
  const { value } = sum
  if (value === null) {
    return (
      <Button
        size="sm"
        className="info__ask"
        busy={sum.busy}
        data-algorithm={algorithm}
        onClick={sum.ask}
      >
        <Trans>Calculate</Trans>
      </Button>
    )
  }
  return (
    <span className="info__sum row">
      <code dir="ltr" data-checksum={algorithm}>
        {value}
      </code>
      <IconButton
        size="sm"
        icon={Copy}
        label={t`Copy`}
        onClick={() => void copyWithToast(value, t`Checksum copied`)}
      />
    </span>
  )
}
