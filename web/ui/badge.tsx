import type { LucideIcon } from 'lucide-react'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import './badge.css'

type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'danger'

interface BadgeProps {
  tone?: Tone
  icon?: LucideIcon
  children: ReactNode
}

export function Badge({ tone = 'plain', icon: Icon, children }: BadgeProps) {
  return (
    <span className={tone === 'plain' ? 'badge' : `badge tone-${tone}`}>
      {Icon && <Icon className="i" aria-hidden />}
      {children}
    </span>
  )
}

export function Chip({
  pressed,
  icon: Icon,
  children,
  className,
  ...rest
}: ComponentPropsWithRef<'button'> & {
  pressed?: boolean | undefined
  icon?: LucideIcon | undefined
}) {
  return (
    <button
      type="button"
      {...rest}
      className={className ? `chip ${className}` : 'chip'}
      aria-pressed={pressed}
    >
      {Icon && <Icon className="i i-xs" aria-hidden />}
      {children}
    </button>
  )
}

/** Key caps for a combination such as `Ctrl Shift F`. A no-break space is part of a cap. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="keys" dir="ltr">
      {keys.split(' ').map((key) => (
        <kbd key={key} className="kbd">
          {key}
        </kbd>
      ))}
    </span>
  )
}

function initialsOf(name: string): string {
  const words = name.split(/[\s._@-]+/u).filter(Boolean)
  const first = [...(words[0] ?? '?')]
  const second = words[1] ? [...words[1]] : []
  return `${first[0] ?? ''}${second[0] ?? first[1] ?? ''}`.toLocaleUpperCase()
}

/** Initials on a tint that is always the same for the same name. */
export function Avatar({ name }: { name: string }) {
  let sum = 0
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 9973
  return (
    <span className={`avatar avatar--${(sum % 5) + 1}`} aria-hidden>
      {initialsOf(name)}
    </span>
  )
}
