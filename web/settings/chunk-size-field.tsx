// The size of the pieces of an upload: typed freely, written the usual way after a pause.

import { useLingui } from '@lingui/react/macro'
import { useEffect, useEffectEvent } from 'react'
import type { ControlProps } from '../lib/form-part.ts'
import { TextField } from '../ui/field.tsx'
import { formatChunkSize, parseChunkSize, readChunkSize } from './chunk-size.ts'

/** As in the original: what is typed is read when it rests for so long. */
const TYPING_PAUSE_MS = 1500

export function ChunkSizeField({ value, onChange }: ControlProps<string>) {
  const { t } = useLingui()
  const normal = formatChunkSize(parseChunkSize(value))
  const settle = useEffectEvent(() => {
    if (value !== normal) onChange(normal)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change starts the pause anew
  useEffect(() => {
    const timer = setTimeout(() => settle(), TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return (
    <TextField
      className="num"
      label={t`Chunk size`}
      hideLabel
      dir="ltr"
      value={value}
      hint={
        readChunkSize(value) === null
          ? t`Interpreted as ${formatChunkSize(parseChunkSize(value))}`
          : null
      }
      onChange={onChange}
      onBlur={() => onChange(normal)}
    />
  )
}
