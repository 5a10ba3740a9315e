// How much may be stored, typed in GiB and kept in bytes.

import { useState } from 'react'
import type { ControlProps } from '../../lib/form-part.ts'
import { formatSize } from '../../lib/format.ts'
import { type FieldText, TextField } from '../../ui/field.tsx'

const GIB = 2 ** 30

/** Bytes as GiB, as short as they are exact enough to read. */
function textOf(bytes: number | null): string {
  return bytes === null ? '' : String(Number((bytes / GIB).toPrecision(6)))
}

function bytesOf(text: string): number | null {
  const number = Number(text)
  return text.trim() === '' || !Number.isFinite(number) || number < 0
    ? null
    : Math.round(number * GIB)
}

/** Null is no limit. What is not typed anew keeps its bytes. */
export function LimitField({
  value,
  onChange,
  ...field
}: ControlProps<number | null> & Pick<FieldText, 'label' | 'hint'>) {
  const [typed, setTyped] = useState('')
  const shown = bytesOf(typed) === value ? typed : textOf(value)
  return (
    <TextField
      {...field}
      type="number"
      dir="ltr"
      inputMode="decimal"
      min={0}
      step="any"
      placeholder="∞"
      end={<span className="limit__unit dim fs-md">GiB</span>}
      value={shown}
      onChange={(text) => {
        setTyped(text)
        onChange(bytesOf(text))
      }}
    />
  )
}

/** The limit in words for tables. */
export function LimitText({ bytes }: { bytes: number | null }) {
  return bytes === null ? <span className="dim">—</span> : <bdi>{formatSize(bytes)}</bdi>
}
