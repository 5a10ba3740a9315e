import { CornerDownLeft } from 'lucide-react'

/** The cap of the Enter key, behind that of a key that is held; drawn, since few fonts have the sign. */
export function EnterKey({ held }: { held?: string | undefined }) {
  return (
    <span className="keys" dir="ltr">
      {held && <kbd className="kbd">{held}</kbd>}
      <kbd className="kbd">
        <CornerDownLeft className="i i-xs" aria-hidden />
      </kbd>
    </span>
  )
}
